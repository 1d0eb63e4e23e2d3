package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Arena;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Entrant;
import io.holdfast.benchmarks.kit.FailedRun;
import io.holdfast.benchmarks.kit.Forks;
import io.holdfast.benchmarks.kit.HotRows;
import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.Passes;
import io.holdfast.benchmarks.kit.Request;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Task;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** One server for all contestants. */
final class RedisArena extends Arena {

    private final RedisServer server = RedisServer.start("latency-tracking no", "slowlog-max-len 100000");
    private final RespClient control = server.client();

    RedisArena(Request request, Predicate<Entrant> present, Consumer<String> progress) {
        super(request, present, progress);
    }

    /** Measures rows in which several JVMs want one lock; in the first round, it also counts what they send. */
    void measureHot(List<CrowdRow> rows, Round round) {
        new HotRows(rows).measure(this, round);
        if (round.isFirst()) {
            rows.forEach(row -> countSent(row, round));
        }
    }

    /** Counts what is sent, in a run of its own, which is slowed down by an observer. */
    void countSent(CrowdRow row, Round round) {
        Duration window = effort().window();
        progress("counting: " + row.label());
        try (Forks forks = start(row.jdk(), START, row.tasks(this, Duration.ZERO));
                Monitor monitor =
                        new Monitor(control, server.client(START.plus(window).plus(GRACE)))) {
            forks.go();
            Passes passes = new Passes(forks.answers(window.plus(GRACE)));
            round.put(row.label(), RedisColumn.SENT, monitor.stop() / passes.all());
        } catch (FailedRun failed) {
            round.note(row.label() + ", counting: " + failed.reason());
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

    int port() {
        return server.port();
    }

    /** Only the port, for all of them are on this machine. */
    @Override
    public String addressOf(Entrant entrant) {
        return Integer.toString(port());
    }

    @Override
    public long data(Entrant entrant) {
        return control.call("GET", DataKey.NAME) instanceof String text ? Long.parseLong(text) : 0;
    }

    /** All calls of commands until now, those inside scripts included. */
    private long calls() {
        return Long.parseLong(control.field("total_commands_processed", "INFO", "stats"));
    }

    @Override
    protected void clear() {
        control.call("FLUSHALL");
        // A task may have changed it, and died.
        control.call("CONFIG", "SET", "slowlog-log-slower-than", "10000");
        control.call("SLOWLOG", "RESET");
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
