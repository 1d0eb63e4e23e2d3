package io.holdfast;

import io.holdfast.monitoring.LockInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/**
 * A distributed lock with a name: exclusive if it comes from {@link Holdfast#lock(String)}, or one side of a
 * {@link DistributedReadWriteLock}.
 *
 * <p>{@code call}, {@code run}, {@code tryRun}, {@code tryCall} and {@link #asLock()} are re-entrant: a thread that is inside one of
 * them enters again with the same token, without I/O, and under the options of the outermost. It holds the lock until it has left
 * as often as it entered, in whatever order. The {@code acquire} methods are not re-entrant: their lease belongs to the
 * object, not to the thread.
 */
public interface DistributedLock extends Acquirable<Lease> {

    /** The name. */
    String name();

    /**
     * The lock as a {@code java.util.concurrent.locks.Lock}: owned by a thread, re-entrant, without conditions. Its
     * {@code lock()} waits without a maximum. {@code unlock()} throws {@link LeaseLostException} if the lease was lost, and
     * {@link IllegalMonitorStateException} on a thread that does not own it.
     */
    Lock asLock();

    /**
     * For methods that must only run under this lock: the lease that the current thread has acquired. A thread that holds
     * the write lock may do what a reader may.
     *
     * @throws IllegalMonitorStateException if it has none
     * @throws LeaseLostException if it is inside {@code call}, {@code run} or {@code asLock()} and has lost the lease
     */
    Lease requireHeld();

    /** Does the current thread hold this lock, by {@code call}, {@code run}, {@code asLock()} or {@code acquire()}? No store round trip. */
    boolean isHeldByCurrentThread();

    /**
     * Does holding {@code lease} mean to hold this lock? True if the lease was acquired through the same {@link Holdfast}, has this
     * name and this kind, and is not a reader's lease where this is the write lock. Says nothing about whether the lease is still
     * held ({@link Lease#isHeld()}). Libraries use it to pass re-entry along where no thread can, as in reactive code.
     */
    boolean covers(Lease lease);

    /** Is the name held, by any process and in any mode? One store round trip. */
    boolean isLocked();

    /** The holders and waiters, as the store sees them. */
    LockInfo inspect();

    /** As {@link #inspect()}, without a waiting thread. */
    CompletableFuture<LockInfo> inspectAsync();

    /**
     * Releases the lease with this token by force; never that of its successor. The holder is notified that its
     * lease is lost, at its next renewal at the latest. {@link #inspect()} reports tokens. What another process
     * holds is released for that process as a whole: there, a token stands for the block it belongs to. Readers of one process
     * that share a token lose it together.
     *
     * @return whether there was such a holder
     */
    boolean forceRelease(long token);
}
