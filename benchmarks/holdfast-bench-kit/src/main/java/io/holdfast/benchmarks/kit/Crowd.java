package io.holdfast.benchmarks.kit;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs a {@link CrowdTask}: all start together, go round until it is enough, and are then counted. */
final class Crowd {

    /** Longer than a lease: a waiter that has missed its call and looks again when the lease is over is late, not stuck. */
    private static final Duration PATIENCE = Duration.ofMillis(Locks.LEASE_MILLIS + 3_000);

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private enum Phase {
        WARM_UP,
        WINDOW,
        ENOUGH
    }

    private final CrowdTask task;
    private final Locks locks;
    private final Supplier<Runnable> inside;
    private final CountDownLatch start = new CountDownLatch(1);
    private final CountDownLatch left;
    private volatile Phase phase = Phase.WARM_UP;

    Crowd(CrowdTask task, Locks locks, Supplier<Runnable> inside) {
        this.task = task;
        this.locks = locks;
        this.inside = inside;
        this.left = new CountDownLatch(task.threads());
    }

    Answer run(Cue cue) throws InterruptedException {
        locks.warmUp();
        List<Walker> walkers = IntStream.range(0, task.threads())
                .mapToObj(i -> new Walker(this, locks.guard("apples-" + i % task.names()), inside.get()))
                .toList();
        walkers.forEach(task.kind()::start);
        cue.await();
        start.countDown();
        TimeUnit.NANOSECONDS.sleep(task.warmUp().toNanos());
        try (Pinnings pinnings = Pinnings.watch(task.kind())) {
            return measure(walkers, pinnings);
        }
    }

    private Answer measure(List<Walker> walkers, Pinnings pinnings) throws InterruptedException {
        long cpu = PROCESS.getProcessCpuTime();
        long begin = System.nanoTime();
        phase = Phase.WINDOW;
        TimeUnit.NANOSECONDS.sleep(task.window().toNanos());
        phase = Phase.ENOUGH;
        long elapsed = System.nanoTime() - begin;
        cpu = PROCESS.getProcessCpuTime() - cpu;
        // If this times out, the latch knows how many are stuck.
        boolean allLeft = left.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        WaitTimes waits = new WaitTimes();
        walkers.forEach(walker -> waits.add(walker.waits()));
        List<Exception> failures =
                walkers.stream().map(Walker::failure).filter(Objects::nonNull).toList();
        failures.stream().limit(1).forEach(Throwable::printStackTrace);
        return new Answer(Map.of(
                "counts",
                        walkers.stream()
                                .map(walker -> Long.toString(walker.counted()))
                                .collect(Collectors.joining(" ")),
                "passes",
                        Long.toString(walkers.stream().mapToLong(Walker::passes).sum()),
                "nanos", Long.toString(elapsed),
                "cpu", Long.toString(cpu),
                "waits", waits.line(),
                "stuck", Long.toString(allLeft ? 0 : left.getCount()),
                "failed", Integer.toString(failures.size()),
                "pinned", Long.toString(pinnings.count())));
    }

    /** Waits until all may start. */
    void gather() throws InterruptedException {
        start.await();
    }

    boolean goesOn() {
        return phase != Phase.ENOUGH;
    }

    /** Does a pass at this moment count? */
    boolean counts() {
        return phase == Phase.WINDOW;
    }

    void leave() {
        left.countDown();
    }
}
