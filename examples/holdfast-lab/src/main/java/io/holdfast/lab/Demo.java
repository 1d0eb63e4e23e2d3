package io.holdfast.lab;

import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.RedisServer;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Sends the same crowd to every strategy and prints what became of the apples. */
public final class Demo {

    private static final Crowd IN_ONE_JVM = new Crowd(10, 300, 200, 3, 32, Duration.ofNanos(200_000));

    /** As many as one after the other can serve in a little more than the time that customers are ready to wait. */
    private static final Crowd FOUR_SERVERS = new Crowd(1, 600, 180, 3, 32, Duration.ofMillis(10));

    private Demo() {}

    public static void main(String[] args) throws InterruptedException {
        System.out.println("Threads of one JVM:");
        print(IN_ONE_JVM, Strategy.inOneJvm(), System.out);
        System.out.println();
        try (RedisServer redis = RedisServer.start()) {
            System.out.println("Four servers and a Redis:");
            print(FOUR_SERVERS, Strategy.onRedis(redis.url()), System.out);
        }
        System.out.println();
        onDatabase();
        System.out.println();
        try (LockFile file = LockFile.create()) {
            System.out.println("Four processes and a file:");
            print(FOUR_SERVERS, List.of(Strategy.inFile(file.path())), System.out);
        }
        System.out.printf(
                "%nOversold apples never existed; failed customers met an error instead of waiting up to %d s."
                        + " Both columns should be 0.%n",
                Strategy.PATIENCE.toSeconds());
    }

    private static void onDatabase() throws InterruptedException {
        Optional<String> obstacle = PostgresServer.obstacle();
        if (obstacle.isPresent()) {
            System.out.println("Four servers and a PostgreSQL: left out, because " + obstacle.get());
            return;
        }
        try (CountedDatabase database = CountedDatabase.start()) {
            System.out.println("Four servers and a PostgreSQL:");
            print(FOUR_SERVERS, Strategy.onDatabase(database), System.out);
        }
    }

    static void print(Crowd crowd, List<Strategy> strategies, PrintStream out) throws InterruptedException {
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
            out.println(table.row(strategy, crowd.visit(strategy)));
        }
    }
}
