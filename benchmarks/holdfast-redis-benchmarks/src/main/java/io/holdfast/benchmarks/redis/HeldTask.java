package io.holdfast.benchmarks.redis;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Takes many locks and holds them until the cue.
 *
 * @param count how many
 * @param churn how long one lock is taken and given back before that, again and again
 */
record HeldTask(Contestant contestant, int count, Duration churn) implements Task {

    static final String NAME = "held";

    /** Far more than it takes, unless the client is busy with something else. */
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Override
    public Answer run(int port, Cue cue) {
        Locks locks = contestant.open(port);
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

    @Override
    public List<String> args() {
        return List.of(NAME, contestant.name(), Integer.toString(count), churn.toString());
    }

    static HeldTask parse(List<String> args) {
        return new HeldTask(
                Contestant.valueOf(args.get(1)), Integer.parseInt(args.get(2)), Duration.parse(args.get(3)));
    }
}
