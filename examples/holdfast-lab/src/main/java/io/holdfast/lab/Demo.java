package io.holdfast.lab;

import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.RedisServer;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Sends the same crowd to every strategy and prints what became of the apples. The tables go to the standard output, the
 * progress to the standard error.
 */
public final class Demo {

    private static final Crowd IN_ONE_PROCESS = new Crowd(10, 300, 200, 3, 32, Duration.ofNanos(200_000));

    /** Enough customers that serving them one after the other takes a little more than the time that each is ready to wait. */
    private static final Crowd IN_FOUR_PROCESSES = new Crowd(1, 600, 180, 3, 32, Duration.ofMillis(10));

    private Demo() {}

    public static void main(String[] args) throws InterruptedException {
        System.out.println("Threads of one process:");
        print(IN_ONE_PROCESS, Strategy.inOneProcess(), IN_ONE_PROCESS::visit, System.out);
        System.out.println();
        progress("Starting four processes");
        try (TemporaryFolder folder = TemporaryFolder.create();
                ProcessGroup processes = ProcessGroup.start(folder.file("stock"))) {
            onRedis(processes);
            System.out.println();
            onDatabase(processes);
            System.out.println();
            System.out.println("Four processes and a file:");
            print(processes, "file:" + folder.file("locks.db"), () -> 0);
        }
        System.out.printf(
                "%noversold > 0: two customers were in the critical section at once, and apples were sold that did not exist;"
                        + "%nfailed > 0: customers got an error, or timed out although they waited up to %d s;"
                        + " a correct lock has 0 in both columns.%n",
                Strategy.PATIENCE.toSeconds());
    }

    private static void onRedis(ProcessGroup processes) throws InterruptedException {
        Optional<String> obstacle = RedisServer.obstacle();
        if (obstacle.isPresent()) {
            System.out.println("Four processes and a Redis: skipped, because " + obstacle.get() + ".");
            return;
        }
        progress("Starting Redis");
        try (RedisServer redis = RedisServer.start()) {
            System.out.println("Four processes and a Redis:");
            print(processes, redis.url(), () -> 0);
        }
    }

    private static void onDatabase(ProcessGroup processes) throws InterruptedException {
        Optional<String> obstacle = PostgresServer.obstacle();
        if (obstacle.isPresent()) {
            System.out.println("Four processes and a PostgreSQL: skipped, because " + obstacle.get() + ".");
            return;
        }
        progress("Starting PostgreSQL");
        try (CountedDatabase database = CountedDatabase.start()) {
            System.out.println("Four processes and a PostgreSQL:");
            print(processes, database.url(), database::sent);
        }
    }

    private static void progress(String step) {
        System.err.println(step + " ...");
    }

    private static void print(ProcessGroup processes, String url, LongSupplier received) throws InterruptedException {
        Visit visit = strategy -> processes.visit(IN_FOUR_PROCESSES, strategy, url, received);
        print(IN_FOUR_PROCESSES, Strategy.at(url), visit, System.out);
    }

    static void print(Crowd crowd, List<Strategy> strategies, Visit visit, PrintStream out)
            throws InterruptedException {
        Table table = new Table(strategies);
        out.printf(
                "%d x %d apples and %d customers; each wants %d, %d are in the shop at once; the stock is %s ms away.%n%n",
                crowd.rounds(),
                crowd.stock(),
                crowd.customers(),
                crowd.appetite(),
                crowd.threads(),
                crowd.roundTrip().toNanos() / 1e6);
        out.println(table.heading());
        for (Strategy strategy : strategies) {
            out.println(table.row(strategy, visit.of(strategy)));
        }
    }

    /** Sends a crowd to a strategy. */
    @FunctionalInterface
    interface Visit {
        Tally of(Strategy strategy) throws InterruptedException;
    }
}
