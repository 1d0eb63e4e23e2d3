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

    @Override
    public Answer run(int port, Cue cue) {
        Locks locks = contestant.open(port);
        long pairs = churn(locks.guard("churned"));
        List<Guard> guards = IntStream.range(0, count)
                .mapToObj(i -> locks.guard("held-" + i))
                .toList();
        long before = heap();
        guards.forEach(Guard::acquire);
        long bytes = heap() - before;
        cue.await();
        long held = guards.stream().filter(Guard::isHeld).count();
        return new Answer(Map.of(
                "bytes", Long.toString(bytes / count),
                "pairs", Long.toString(pairs),
                "lost", Long.toString(count - held)));
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
