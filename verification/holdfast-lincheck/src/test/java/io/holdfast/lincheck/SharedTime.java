package io.holdfast.lincheck;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only when somebody says so, for several threads. Callbacks run where they come up. */
final class SharedTime implements Ticker, Scheduler {

    private static final long WALL_AT_START = 1_700_000_000_000_000L;

    private final AtomicLong nanos = new AtomicLong(1_000_000_000L);
    private final CopyOnWriteArrayList<Timer> timers = new CopyOnWriteArrayList<>();

    private static final class Timer implements Task {
        private final SharedTime time;
        private final long at;
        private final Runnable task;

        private Timer(SharedTime time, long at, Runnable task) {
            this.time = time;
            this.at = at;
            this.task = task;
        }

        @Override
        public void cancel() {
            time.timers.remove(this);
        }
    }

    Environment environment() {
        return new Environment(this, this, Runnable::run, () -> 0.5);
    }

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long wallMicros() {
        return WALL_AT_START + nanos.get() / 1_000;
    }

    @Override
    public Task schedule(Runnable task, long delayNanos) {
        Timer timer = new Timer(this, nanos.get() + delayNanos, task);
        timers.add(timer);
        return timer;
    }

    /** Lets time pass, in one leap, and runs what has become due. */
    void pass(Duration duration) {
        nanos.addAndGet(duration.toNanos());
        for (Timer timer : timers) {
            if (timer.at - nanos.get() <= 0 && timers.remove(timer)) {
                timer.task.run();
            }
        }
    }

    int timers() {
        return timers.size();
    }
}
