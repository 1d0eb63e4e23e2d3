package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.Jdk;
import io.holdfast.benchmarks.ThreadKind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One row of a table about crowds.
 *
 * @param jvms how many JVMs take part
 * @param threads how many threads each of them has
 * @param names how many locks there are
 */
record CrowdRow(
        String label,
        Contestant contestant,
        Jdk jdk,
        int jvms,
        int threads,
        int names,
        ThreadKind kind,
        Inside inside) {

    /** One JVM, platform threads, nothing to do under the lock. */
    static CrowdRow of(Contestant contestant, int threads, int names) {
        return new CrowdRow(
                contestant.label(), contestant, Jdk.current(), 1, threads, names, ThreadKind.PLATFORM, Inside.NOTHING);
    }

    /** Several JVMs that want one lock and do some work under it. */
    static CrowdRow hot(String label, Contestant contestant, int jvms, int threads) {
        return new CrowdRow(
                label, contestant, Jdk.current(), jvms, threads, 1, ThreadKind.PLATFORM, Inside.GET_AND_SET);
    }

    /** Measures it once, and writes down what all such tables show; empty if it failed. */
    Optional<Passes> measure(Arena arena, Round round) {
        try {
            Passes passes = run(arena, round);
            if (passes.failed() > 0) {
                round.note("%s: %.0f threads have failed".formatted(label, passes.failed()));
            }
            if (passes.stuck() > 0) {
                round.note("%s: stuck: %.0f threads".formatted(label, passes.stuck()));
            }
            round.put(label, Column.STUCK, passes.stuck());
            round.put(label, Column.RATE, passes.rate());
            round.put(label, Column.VARIATION, passes.variation());
            round.put(label, Column.WAIT_MEDIAN, passes.waitMillis(0.5));
            round.put(label, Column.WAIT_P99, passes.waitMillis(0.99));
            return Optional.of(passes);
        } catch (FailedRun failed) {
            round.note(label + ": " + failed.reason());
            return Optional.empty();
        }
    }

    private Passes run(Arena arena, Round round) throws FailedRun {
        Effort effort = arena.effort();
        Duration warmUp = effort.warmUp();
        arena.progress("round " + round.number() + ": " + label);
        return new Passes(arena.run(jdk, warmUp.plus(effort.window()), tasks(warmUp, effort.window())));
    }

    /** Counts what is sent, in a run of its own. */
    void countSent(Arena arena, Round round) {
        Duration window = arena.effort().window();
        try {
            arena.progress("counting: " + label);
            Arena.Counted counted = arena.count(jdk, window, tasks(Duration.ZERO, window));
            round.put(label, Column.SENT, counted.sent() / new Passes(counted.answers()).all());
        } catch (FailedRun failed) {
            round.note(label + ", counting: " + failed.reason());
        }
    }

    private List<CrowdTask> tasks(Duration warmUp, Duration window) {
        return Collections.nCopies(jvms, new CrowdTask(contestant, threads, names, kind, inside, warmUp, window));
    }
}
