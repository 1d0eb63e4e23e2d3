package io.holdfast.benchmarks.redis;

/** A lock in the hands of one thread. Not thread-safe: every thread has guards of its own. */
interface Guard {

    /** Waits until it has the lock. */
    void acquire();

    /** Gives it back. */
    void release();

    /** Asks the server whether it still holds what it has acquired. */
    boolean isHeld();
}
