package io.holdfast.spi;

/**
 * Runs short, non-blocking tasks later. The engine and the store helpers start no thread and never sleep; everything
 * that has to happen at a time goes through here, which is what lets a simulator run them on virtual time.
 */
public interface Scheduler {

    /**
     * Runs {@code task} once, {@code delayNanos} from now; at once if that is not positive, but never inside this call.
     */
    Task schedule(Runnable task, long delayNanos);

    /** Something scheduled. */
    @FunctionalInterface
    interface Task {
        /** Makes sure that the task does not start any more; without effect once it has. */
        void cancel();
    }
}
