package io.holdfast.internal;

import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.Scheduler;
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
            // After close() nothing is kept alive any more: leases run out by themselves.
            return NOTHING;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
