package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.Spread;
import io.holdfast.benchmarks.kit.WaitTimes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Runs a {@link CrowdPlan} once: all start together, go round until it is enough, and are then counted. */
final class Crowd {

    /** A thread that does not come back within this is stuck, however slow the machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private enum Phase {
        WARM_UP,
        MEASUREMENT,
        ENOUGH
    }

    private final CrowdPlan plan;
    private final Thing thing;
    private final CountDownLatch gathered;
    private final CountDownLatch start = new CountDownLatch(1);
    private final CountDownLatch left;
    private volatile Phase phase = Phase.WARM_UP;

    Crowd(CrowdPlan plan) {
        this.plan = plan;
        this.thing = plan.contestant().thing();
        this.gathered = new CountDownLatch(plan.threads());
        this.left = new CountDownLatch(plan.threads());
    }

    /**
     * Runs it.
     *
     * @throws IllegalStateException if the thing behind the gate was not guarded, a thread is stuck, or a gate threw
     */
    Outcome run() throws InterruptedException {
        try (Gates gates = plan.contestant().open()) {
            return run(gates);
        }
    }

    Outcome run(Gates gates) throws InterruptedException {
        List<Visitor> visitors = IntStream.range(0, plan.threads())
                .mapToObj(i -> new Visitor(this, gates, "apples", i))
                .toList();
        visitors.forEach(plan.kind()::start);
        gathered.await();
        start.countDown();
        TimeUnit.NANOSECONDS.sleep(plan.warmUp().toNanos());
        phase = Phase.MEASUREMENT;
        long begin = System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(plan.measurement().toNanos());
        phase = Phase.ENOUGH;
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
        if (!left.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException(left.getCount() + " threads are stuck");
        }
        check(visitors);
        return outcome(visitors, elapsed);
    }

    /** Waits until all are there. */
    void gather() {
        gathered.countDown();
        try {
            start.await();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException("nobody interrupts visitors", unexpected);
        }
    }

    boolean goesOn() {
        return phase != Phase.ENOUGH;
    }

    /** Does a pass at this moment count? */
    boolean counts() {
        return phase == Phase.MEASUREMENT;
    }

    Thing thing() {
        return thing;
    }

    int looksOfHundred() {
        return plan.looksOfHundred();
    }

    void leave() {
        left.countDown();
    }

    private void check(List<Visitor> visitors) {
        for (Visitor visitor : visitors) {
            RuntimeException failure = visitor.failure();
            if (failure != null) {
                throw new IllegalStateException("a gate threw", failure);
            }
        }
        thing.check(visitors.stream().mapToLong(Visitor::changes).sum());
    }

    private static Outcome outcome(List<Visitor> visitors, Duration elapsed) {
        WaitTimes waits = new WaitTimes();
        visitors.forEach(visitor -> waits.add(visitor.waits()));
        double[] counted = visitors.stream().mapToDouble(Visitor::counted).toArray();
        double passes = visitors.stream().mapToLong(Visitor::passes).sum();
        double bytes = visitors.stream().mapToLong(Visitor::allocated).sum();
        return new Outcome(Map.of(
                Metric.RATE, Arrays.stream(counted).sum() * 1e9 / elapsed.toNanos(),
                Metric.VARIATION, Spread.variation(counted),
                Metric.WAIT_MEDIAN, waits.quantile(0.5).toNanos() / 1e3,
                Metric.WAIT_P99, waits.quantile(0.99).toNanos() / 1e3,
                Metric.PAIR_BYTES, bytes / passes,
                Metric.UNSERVED,
                        (double) visitors.stream()
                                .filter(visitor -> visitor.counted() == 0)
                                .count()));
    }
}
