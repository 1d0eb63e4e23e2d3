package io.holdfast.benchmarks.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Task;
import java.util.Map;

/**
 * One client holds a lock, another tries in vain to acquire it.
 *
 * @param address where the server is
 * @param log a query for how many bytes the server has written to its log
 * @param attempts how often
 */
record RefusedTask(String address, Contestant contestant, String log, int attempts) implements Task {

    @Override
    public boolean isEarlier() {
        return contestant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) {
        try (Holdfast holding = contestant.holdfast(address).build();
                Holdfast trying = contestant.holdfast(address).build();
                Query query = new Query(address);
                Lease held = holding.lock("apples").acquire()) {
            attempt(trying, attempts);
            cue.await();
            long before = query.number(log);
            long begun = System.nanoTime();
            int got = attempt(trying, attempts);
            long nanos = System.nanoTime() - begun;
            if (got > 0 || !held.release()) {
                throw new IllegalStateException("the lock was granted twice");
            }
            return new Answer(Map.of(
                    "nanos", String.valueOf(nanos / attempts),
                    "bytes", String.valueOf((query.number(log) - before) / (double) attempts)));
        }
    }

    private static int attempt(Holdfast trying, int attempts) {
        int got = 0;
        for (int i = 0; i < attempts; i++) {
            got += trying.lock("apples").tryAcquire().isPresent() ? 1 : 0;
        }
        return got;
    }
}
