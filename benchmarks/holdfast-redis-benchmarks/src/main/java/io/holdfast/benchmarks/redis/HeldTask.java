package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.HeldLocks;
import io.holdfast.benchmarks.kit.Task;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Takes many locks and holds them until the cue.
 *
 * @param address where the server is
 * @param contestant one with {@link HeldLocks}
 * @param count how many
 * @param churn how long one lock is taken and given back before that, again and again
 */
record HeldTask(String address, Contestant contestant, int count, Duration churn) implements Task {

    /** Far more than it takes, unless the client is busy with something else. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Override
    public Answer run(Cue cue) {
        HeldLocks locks = (HeldLocks) contestant.open(address);
        long pairs = churn(locks.guard("churned"));
        List<String> names =
                IntStream.range(0, count).mapToObj(i -> "held-" + i).toList();
        List<Guard> guards = names.stream().map(locks::guard).toList();
        long before = heap();
        int taken = take(guards);
        long bytes = heap() - before;
        cue.await();
        long believed = guards.subList(0, taken).stream().filter(Guard::isHeld).count();
        long held = Math.min(believed, locks.held(names.subList(0, taken)));
        return new Answer(Map.of(
                "bytes", Long.toString(bytes / Math.max(1, taken)),
                "pairs", Long.toString(pairs),
                "taken", Integer.toString(taken),
                "lost", Long.toString(taken - held)));
    }

    /** Takes them all, or as many as it can in time. */
    private static int take(List<Guard> guards) {
        long end = System.nanoTime() + LIMIT.toNanos();
        int taken = 0;
        try {
            while (taken < guards.size() && System.nanoTime() < end) {
                guards.get(taken).acquire();
                taken++;
            }
        } catch (RuntimeException overloaded) {
            // Then the table shows how many it were.
            return taken;
        }
        return taken;
    }

    private long churn(Guard guard) {
        long end = System.nanoTime() + churn.toNanos();
        long pairs = 0;
        do {
            guard.acquire();
            guard.release();
            pairs++;
        } while (System.nanoTime() < end);
        return pairs;
    }

    /** What is in use after a collection. */
    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
