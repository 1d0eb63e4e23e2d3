package io.holdfast.benchmarks.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Task;
import java.time.Duration;
import java.util.Map;

/**
 * One thread acquires and releases a lock, while another session keeps an old snapshot open, as a dump does: no version of the row
 * can be removed.
 *
 * @param address where the server is
 * @param time how long; passes are counted in the first and the last sixth
 */
record OldSnapshotTask(String address, Contestant contestant, Duration time) implements Task {

    private static final int PARTS = 6;
    private static final int WARM_UP = 2_000;

    @Override
    public boolean isEarlier() {
        return contestant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) {
        try (Holdfast holdfast = contestant.holdfast(address).build();
                Query dump = new Query(address);
                Query observer = new Query(address)) {
            for (int i = 0; i < WARM_UP; i++) {
                holdfast.lock("hot").acquire().close();
            }
            dump.execute("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM holdfast_lease");
            cue.await();
            double seconds = time.toNanos() / 1e9 / PARTS;
            double first = pass(holdfast, seconds) / seconds;
            pass(holdfast, seconds * (PARTS - 2));
            double last = pass(holdfast, seconds) / seconds;
            dump.execute("ROLLBACK");
            return new Answer(Map.of(
                    "first", String.valueOf(first),
                    "last", String.valueOf(last),
                    "size", observer.number("SELECT pg_total_relation_size('holdfast_lease')") + ""));
        }
    }

    private static long pass(Holdfast holdfast, double seconds) {
        long passes = 0;
        for (long begun = System.nanoTime(); System.nanoTime() - begun < seconds * 1e9; passes++) {
            holdfast.lock("hot").acquire().close();
        }
        return passes;
    }
}
