package io.holdfast.testing;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;

/** Time that passes only when a test says so, in one thread. */
public final class ManualTime implements Ticker, Scheduler {

    private final PriorityQueue<Timer> timers;
    private final Deque<Runnable> callbacks = new ArrayDeque<>();
    private long nanos;
    private long wallMicros = 1_700_000_000_000_000L;

    private static final class Timer implements Task {
        private final long at;
        private final Runnable task;
        private boolean cancelled;

        private Timer(long at, Runnable task) {
            this.at = at;
            this.task = task;
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    }

    public ManualTime() {
        this(1_000_000_000L);
    }

    /** Begins with {@code nanos} on the monotonic clock, which may be any number. */
    public ManualTime(long nanos) {
        this.nanos = nanos;
        this.timers = new PriorityQueue<>(Comparator.comparingLong(timer -> timer.at - nanos));
    }

    public Environment environment() {
        return new Environment(this, this, callbacks::add, () -> 0.5);
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long wallMicros() {
        return wallMicros;
    }

    @Override
    public Task schedule(Runnable task, long delayNanos) {
        Timer timer = new Timer(nanos + delayNanos, task);
        timers.add(timer);
        return timer;
    }

    /** Lets time pass, and everything happen that is due in it. */
    public void pass(Duration duration) {
        long end = nanos + duration.toNanos();
        runCallbacks();
        while (!timers.isEmpty() && timers.peek().at - end <= 0) {
            Timer next = timers.poll();
            if (!next.cancelled) {
                step(next.at - nanos);
                next.task.run();
                runCallbacks();
            }
        }
        step(end - nanos);
    }

    /** The machine sleeps: only the wall clock goes on, and no timer fires. */
    public void suspend(Duration duration) {
        wallMicros += duration.toNanos() / 1_000;
    }

    /** A process that is paused: both clocks go on, and no timer fires. */
    public void pause(Duration duration) {
        step(duration.toNanos());
    }

    public void runCallbacks() {
        while (!callbacks.isEmpty()) {
            callbacks.poll().run();
        }
    }

    /** How many timers wait that were not cancelled. */
    public long timers() {
        return timers.stream().filter(timer -> !timer.cancelled).count();
    }

    private void step(long by) {
        if (by > 0) {
            nanos += by;
            wallMicros += by / 1_000;
        }
    }
}
