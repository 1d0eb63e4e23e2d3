package io.holdfast.benchmarks.kit;

/** A lock in the hands of one thread. Not thread-safe: every thread has guards of its own. */
public interface Guard {

    /** Waits until it has the lock. */
    void acquire();

    /** Gives it back. */
    void release();

    /** Does it believe to hold the lock? Most libraries leave that to the server. */
    default boolean isHeld() {
        return true;
    }
}
