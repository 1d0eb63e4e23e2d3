package io.holdfast.internal;

import io.holdfast.spi.Scheduler;
import java.lang.System.Logger.Level;

/** A scheduler that logs what its tasks throw: most schedulers put it into a future that no code reads. */
record LoggedScheduler(Scheduler scheduler) implements Scheduler {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    @Override
    public Task schedule(Runnable task, long delayNanos) {
        return scheduler.schedule(() -> run(task), delayNanos);
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error bug) {
            LOG.log(Level.ERROR, "A bug in Holdfast: a scheduled task failed. Please report it.", bug);
            throw bug;
        }
    }
}
