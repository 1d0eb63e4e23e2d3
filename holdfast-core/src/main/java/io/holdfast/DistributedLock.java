package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * An exclusive lock with a name. Cheap to make and to drop, thread-safe, and equal in effect to every other lock of that
 * name on the same store.
 *
 * <p>{@code call}, {@code run}, {@code tryRun} and {@link #asLock()} are re-entrant: a thread that is inside one of them
 * enters again with the same token, without I/O, and under the options of the outermost. The {@code acquire} methods are
 * not: their lease belongs to the object, not to the thread.
 *
 * <p>Waits are bounded by one deadline that covers everything: the line of this process, the queue in the store, and
 * outages of the store. A wait that is interrupted ends with {@link LockInterruptedException}, in {@link #asLock()} as
 * {@link Lock} says.
 */
public interface DistributedLock {

    /** The name. */
    String name();

    /** The options its leases are taken with. */
    LockOptions options();

    /**
     * Waits up to {@link LockOptions#maxWait()} for a lease.
     *
     * @throws LockTimeoutException if the wait is over
     * @throws StoreUnavailableException if the store was out of reach until the wait was over
     */
    Lease acquire();

    /** As {@link #acquire()}, with another wait. */
    Lease acquire(Duration maxWait);

    /**
     * One attempt. Not getting the lock is an answer: empty if it is held, or if others wait for it.
     *
     * <pre>{@code
     * Optional<Lease> attempt = lock.tryAcquire();
     * if (attempt.isPresent()) {
     *     try (Lease lease = attempt.get()) { … }
     * }
     * }</pre>
     *
     * @throws StoreUnavailableException if the store does not answer
     */
    Optional<Lease> tryAcquire();

    /** As {@link #acquire(Duration)}, but empty when the wait is over. */
    Optional<Lease> tryAcquire(Duration maxWait);

    /**
     * As {@link #acquire()}, without a waiting thread. Cancelling the future withdraws the claim; a lease that comes too
     * late for it is passed on. Completes on the executor of the {@link Holdfast}, or before this method returns.
     */
    CompletableFuture<Lease> acquireAsync();

    /** As {@link #acquireAsync()}, with another wait. */
    CompletableFuture<Lease> acquireAsync(Duration maxWait);

    /** As {@link #tryAcquire()}, without a waiting thread. */
    CompletableFuture<Optional<Lease>> tryAcquireAsync();

    /** Acquires, runs, releases. Throws {@link LeaseLostException} if the lease was lost while the body ran. */
    <T extends @Nullable Object, E extends Exception> T call(LockedCall<T, E> body) throws E;

    /** Acquires, runs, releases. Throws {@link LeaseLostException} if the lease was lost while the body ran. */
    <E extends Exception> void run(LockedRun<E> body) throws E;

    /**
     * Runs the body if the lock is free now.
     *
     * @return whether it ran
     */
    <E extends Exception> boolean tryRun(LockedRun<E> body) throws E;

    /**
     * The lock as {@code java.util.concurrent} knows it: owned by a thread, re-entrant, without conditions. Its
     * {@code lock()} waits for ever. {@code unlock()} throws {@link LeaseLostException} if the lease was lost, and
     * {@link IllegalMonitorStateException} on a thread that does not own it.
     */
    Lock asLock();

    /**
     * For methods that must only run under this lock: the lease that the current thread has taken.
     *
     * @throws IllegalMonitorStateException if it has none
     * @throws LeaseLostException if it is inside {@code call}, {@code run} or {@code asLock()} and has lost the lease
     */
    Lease requireHeld();

    /** Who holds the lock and how many wait, as the store sees it. */
    LockInfo inspect();

    /**
     * Takes the lock away from the holder of {@code token}; never from its successor. The old holder is told that its
     * lease is lost, at its next renewal at the latest. Tokens are found with {@link #inspect()}. A lock that another
     * process holds is taken from that process: there, a token stands for the whole block it belongs to.
     *
     * @return whether that holder was there
     */
    boolean forceRelease(long token);
}
