package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Several exclusive locks that are taken together: all of them or none, within one deadline. Everybody takes them in the
 * same order, that of their names, so sets that overlap do not wait for each other in a circle, however the names were
 * given. A name that was given twice counts once. Thread-safe.
 *
 * <pre>{@code
 * try (LeaseSet both = holdfast.lockAll("account:7", "account:42").acquire()) {
 *     transfer(both.lease("account:7").token(), both.lease("account:42").token());
 * }
 * }</pre>
 *
 * <p>Not re-entrant: a thread that holds one of the names already waits for itself, until its time is over.
 */
public interface LockSet {

    /** The names, each once, in the order in which they are taken. */
    List<String> names();

    /** The options the leases are taken with; {@code maxWait} is for all of them together. */
    LockOptions options();

    /**
     * Waits up to {@link LockOptions#maxWait()} for all of them.
     *
     * @throws LockTimeoutException if the wait is over; names the lock that was not to be had
     * @throws LeaseLostException if one was lost while the others were waited for
     * @throws StoreUnavailableException if the store was out of reach until the wait was over
     */
    LeaseSet acquire();

    /** As {@link #acquire()}, with another wait. */
    LeaseSet acquire(Duration maxWait);

    /** One attempt at each. Empty if one of them is taken, or others wait for it; then none is held. */
    Optional<LeaseSet> tryAcquire();

    /** As {@link #acquire(Duration)}, but empty when the wait is over. */
    Optional<LeaseSet> tryAcquire(Duration maxWait);

    /** As {@link #acquire()}, without a waiting thread. Cancelling the future gives back what was taken so far. */
    CompletableFuture<LeaseSet> acquireAsync();

    /** As {@link #acquireAsync()}, with another wait. */
    CompletableFuture<LeaseSet> acquireAsync(Duration maxWait);

    /** As {@link #tryAcquire()}, without a waiting thread. */
    CompletableFuture<Optional<LeaseSet>> tryAcquireAsync();
}
