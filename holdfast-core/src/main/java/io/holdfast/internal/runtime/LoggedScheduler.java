package io.holdfast.internal.runtime;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** A scheduler that logs what its tasks throw: most schedulers put it into a future that no code reads. */
final class LoggedScheduler implements Scheduler {

    private final Scheduler scheduler;
    private final RateLimitedLog log;

    LoggedScheduler(Scheduler scheduler, Ticker ticker) {
        this.scheduler = scheduler;
        this.log = new RateLimitedLog(Engine.LOG, ticker, Duration.ofSeconds(1));
    }

    @Override
    public Task schedule(Runnable task, long delayNanos) {
        return scheduler.schedule(() -> run(task), delayNanos);
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error bug) {
            log.log(Level.ERROR, bug, () -> "A bug in Holdfast: a scheduled task failed. Please report it.");
            throw bug;
        }
    }
}
