package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.Jdk;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Where contestants meet: one server, and JVMs that are forked for each measurement. */
final class Arena implements AutoCloseable {

    /** To start a JVM and connect, however slow the machine. */
    private static final Duration START = Duration.ofSeconds(60);

    /** More than a task needs after its window, stuck threads included. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final RedisServer server = RedisServer.start("latency-tracking no", "slowlog-max-len 100000");
    private final RespClient control = server.client();
    private final Effort effort;
    private final Set<Contestant> present;
    private final Consumer<String> progress;

    /** @param present who takes part; sections leave out the others */
    Arena(Effort effort, Set<Contestant> present, Consumer<String> progress) {
        this.effort = effort;
        this.present = Set.copyOf(present);
        this.progress = progress;
    }

    Effort effort() {
        return effort;
    }

    /** Those of them who are present; in every other round, the last comes first. */
    List<Contestant> inTurn(Round round, Contestant... all) {
        List<Contestant> order = new ArrayList<>(List.of(all));
        order.retainAll(present);
        if (round.number() % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    /** Lets all tasks start at the same moment, each in a JVM of its own. */
    List<Answer> run(Jdk jdk, Duration expected, List<? extends Task> tasks) throws FailedRun {
        try (Forks forks = start(jdk, tasks)) {
            forks.go();
            return forks.answers(expected.plus(GRACE));
        }
    }

    /** What came out, and what was sent to the server for it. */
    record Counted(List<Answer> answers, long sent) {}

    /** As {@link #run}, but slowed down by an observer. */
    Counted count(Jdk jdk, Duration expected, List<? extends Task> tasks) throws FailedRun {
        try (Forks forks = start(jdk, tasks);
                Monitor monitor =
                        new Monitor(control, server.client(START.plus(expected).plus(GRACE)))) {
            forks.go();
            List<Answer> answers = forks.answers(expected.plus(GRACE));
            return new Counted(answers, monitor.stop());
        }
    }

    /** What came out of holding locks for a while, and how many commands there were meanwhile. */
    record Observed(Answer answer, double perSecond) {}

    /** Starts a task that holds locks until its cue, and looks on. */
    Observed observe(Jdk jdk, Duration preparation, Duration hold, Task task) throws FailedRun {
        try (Forks forks = start(jdk, preparation.plus(START), List.of(task))) {
            long calls = calls();
            long begin = System.nanoTime();
            sleep(hold);
            double rate = (calls() - calls) * 1e9 / (System.nanoTime() - begin);
            forks.go();
            return new Observed(forks.answers(START).get(0), rate);
        }
    }

    /** As {@link #observe}, but tells what clients have sent, which slows the server down. */
    Observed observeSent(Jdk jdk, Duration preparation, Duration hold, Task task) throws FailedRun {
        try (Forks forks = start(jdk, preparation.plus(START), List.of(task));
                Monitor monitor = new Monitor(control, server.client(START.plus(hold)))) {
            long begin = System.nanoTime();
            sleep(hold);
            double rate = monitor.stop() * 1e9 / (System.nanoTime() - begin);
            forks.go();
            return new Observed(forks.answers(START).get(0), rate);
        }
    }

    void progress(String what) {
        progress.accept(what);
    }

    /** The number that is counted up under locks; see {@link Inside#GET_AND_SET}. */
    long data() {
        return control.call("GET", Inside.DATA) instanceof String text ? Long.parseLong(text) : 0;
    }

    /** All calls of commands until now, those inside scripts included. */
    private long calls() {
        return Long.parseLong(control.field("total_commands_processed", "INFO", "stats"));
    }

    private Forks start(Jdk jdk, List<? extends Task> tasks) throws FailedRun {
        return start(jdk, START, tasks);
    }

    private Forks start(Jdk jdk, Duration limit, List<? extends Task> tasks) throws FailedRun {
        control.call("FLUSHALL");
        // A task may have changed it, and died.
        control.call("CONFIG", "SET", "slowlog-log-slower-than", "10000");
        control.call("SLOWLOG", "RESET");
        return Forks.start(jdk, effort, server.port(), limit, tasks);
    }

    private static void sleep(Duration time) throws FailedRun {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new FailedRun("interrupted");
        }
    }

    @Override
    public void close() {
        control.close();
        server.close();
    }
}
