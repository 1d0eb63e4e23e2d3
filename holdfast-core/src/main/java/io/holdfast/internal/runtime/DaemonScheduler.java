package io.holdfast.internal.runtime;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.support.DaemonThreads;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One daemon thread, started when the first task comes. */
final class DaemonScheduler implements Scheduler, AutoCloseable {

    private static final Task NOTHING = () -> {};

    private final ScheduledThreadPoolExecutor timer;

    DaemonScheduler(String threadName) {
        timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.named(threadName));
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public Task schedule(Runnable task, long delayNanos) {
        try {
            ScheduledFuture<?> future = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            // After close() nothing is renewed any more: leases expire.
            return NOTHING;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
