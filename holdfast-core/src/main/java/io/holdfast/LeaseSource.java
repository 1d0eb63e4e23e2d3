package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Something with a name that leases are taken from: a {@link DistributedLock} or a {@link DistributedSemaphore}. Cheap to
 * make and to drop, thread-safe, and equal in effect to every other one of that name on the same store.
 *
 * <p>Waits are bounded by one deadline that covers everything: the line of this process, the queue in the store, and
 * outages of the store. Waiters are served in the order of their arrival. A wait that is interrupted ends with
 * {@link LockInterruptedException}. A name that is in use in another kind or size is refused with a
 * {@link HoldfastException} that says so.
 */
public interface LeaseSource {

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
     * One attempt. Not getting it is an answer: empty if it is taken, or if others wait for it.
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
     * Runs the body if a lease can be had now.
     *
     * @return whether it ran
     */
    <E extends Exception> boolean tryRun(LockedRun<E> body) throws E;

    /** Who holds the name and how many wait, as the store sees it. */
    LockInfo inspect();

    /**
     * Takes the name away from the holder of {@code token}; never from its successor. The old holder is told that its
     * lease is lost, at its next renewal at the latest. Tokens are found with {@link #inspect()}. What another process
     * holds is taken from that process: there, a token stands for the whole block it belongs to. Readers of one process
     * that share a token lose it together.
     *
     * @return whether that holder was there
     */
    boolean forceRelease(long token);
}
