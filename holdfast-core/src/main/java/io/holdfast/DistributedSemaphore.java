package io.holdfast;

import io.holdfast.monitoring.LockInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A distributed semaphore: a number of permits under one name, over all processes. A lease has one permit, or several
 * ({@link #withPermits}); closing it returns them, and those of a process that died return when its leases
 * expire. A large request is not overtaken by small ones of the same process, nor of others where the store has a wait queue.
 * Thread-safe.
 *
 * <p>The number of permits is part of the identity: a name that is in use with another number is refused with
 * {@link WrongKindException}. Unlike a lock, a semaphore is not re-entrant: a {@code call} inside a {@code call} acquires further
 * permits. The tokens of its leases tell them apart, but fence nothing, because several leases are held at once.
 *
 * <pre>{@code
 * DistributedSemaphore printers = holdfast.semaphore("printers", 3);
 * printers.run(lease -> print(page));
 * try (Lease two = printers.acquire(2)) { … }
 * }</pre>
 */
public interface DistributedSemaphore extends Acquirable<Lease> {

    /** The name. */
    String name();

    /** How many permits there are. */
    int permits();

    /**
     * The same semaphore, with leases of that many permits each; all or none.
     *
     * @throws IllegalArgumentException if that is less than 1 or more than there are
     */
    DistributedSemaphore withPermits(int permits);

    /** Acquires several permits: {@code withPermits(permits).acquire()}. */
    default Lease acquire(int permits) {
        return withPermits(permits).acquire();
    }

    /** As {@link #acquire(int)}, with another maximum wait. */
    default Lease acquire(int permits, Duration maxWait) {
        return withPermits(permits).acquire(maxWait);
    }

    /** One attempt at several permits: {@code withPermits(permits).tryAcquire()}. */
    default Optional<Lease> tryAcquire(int permits) {
        return withPermits(permits).tryAcquire();
    }

    /** As {@link #acquire(int, Duration)}, but empty if the permits were not available until the deadline. */
    default Optional<Lease> tryAcquire(int permits, Duration maxWait) {
        return withPermits(permits).tryAcquire(maxWait);
    }

    /** As {@link #acquire(int)}, without a waiting thread. */
    default CompletableFuture<Lease> acquireAsync(int permits) {
        return withPermits(permits).acquireAsync();
    }

    /** The holders and waiters, as the store sees them. */
    LockInfo inspect();

    /** As {@link #inspect()}, without a waiting thread. */
    CompletableFuture<LockInfo> inspectAsync();

    /** Releases the lease with this token by force, as {@link DistributedLock#forceRelease} does. */
    boolean forceRelease(long token);
}
