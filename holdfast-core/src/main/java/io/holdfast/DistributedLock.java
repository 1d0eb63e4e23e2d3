package io.holdfast;

import java.util.concurrent.locks.Lock;

/**
 * A lock with a name: exclusive if it comes from {@link Holdfast#lock(String)}, or one side of a
 * {@link DistributedReadWriteLock}.
 *
 * <p>{@code call}, {@code run}, {@code tryRun} and {@link #asLock()} are re-entrant: a thread that is inside one of them
 * enters again with the same token, without I/O, and under the options of the outermost. It holds the lock until it has left
 * as often as it entered, in whatever order. The {@code acquire} methods are not re-entrant: their lease belongs to the
 * object, not to the thread.
 */
public interface DistributedLock extends LeaseSource {

    /**
     * The lock as {@code java.util.concurrent} knows it: owned by a thread, re-entrant, without conditions. Its
     * {@code lock()} waits for ever. {@code unlock()} throws {@link LeaseLostException} if the lease was lost, and
     * {@link IllegalMonitorStateException} on a thread that does not own it.
     */
    Lock asLock();

    /**
     * For methods that must only run under this lock: the lease that the current thread has taken. A thread that holds
     * the write lock may do what a reader may.
     *
     * @throws IllegalMonitorStateException if it has none
     * @throws LeaseLostException if it is inside {@code call}, {@code run} or {@code asLock()} and has lost the lease
     */
    Lease requireHeld();
}
