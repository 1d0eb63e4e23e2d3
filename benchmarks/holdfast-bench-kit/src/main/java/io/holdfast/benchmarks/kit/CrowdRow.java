package io.holdfast.benchmarks.kit;

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
public record CrowdRow(
        String label, Entrant entrant, Jdk jdk, int jvms, int threads, int names, ThreadKind kind, Inside inside) {

    /** One JVM, platform threads, nothing to do under the lock. */
    public static CrowdRow of(Entrant entrant, int threads, int names) {
        return new CrowdRow(
                entrant.label(), entrant, Jdk.current(), 1, threads, names, ThreadKind.PLATFORM, Inside.NOTHING);
    }

    /** Several JVMs that want one lock and do some work under it. */
    public static CrowdRow hot(String label, Entrant entrant, int jvms, int threads, Inside inside) {
        return new CrowdRow(label, entrant, Jdk.current(), jvms, threads, 1, ThreadKind.PLATFORM, inside);
    }

    /** Measures it once, and writes down what all such tables show; empty if it failed. */
    public Optional<Passes> measure(Arena arena, Round round) {
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
        return new Passes(arena.run(jdk, warmUp.plus(effort.window()), tasks(arena, warmUp)));
    }

    /** What its JVMs are to do, with all that the arena has to say about it. */
    public List<CrowdTask> tasks(Arena arena, Duration warmUp) {
        Duration window = arena.effort().window();
        return Collections.nCopies(
                jvms, new CrowdTask(arena.addressOf(entrant), entrant, threads, names, kind, inside, warmUp, window));
    }
}
