package io.holdfast.internal.queue;

import io.holdfast.internal.memory.DirectStore;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Moment;
import org.jspecify.annotations.Nullable;

/** What all local queues of one {@code Holdfast} share. Called under the mutex of a queue: no method blocks or runs foreign code. */
public interface QueueContext {

    /** Both clocks; the monotonic one alone if the store uses the same. */
    Moment now();

    /** As {@link #now()}, for a request that came at {@code nanos}, just now: saves a reading where one clock is enough. */
    Moment now(long nanos);

    /** The monotonic clock. */
    long nanos();

    /** For how long this process may hand a grant over locally. */
    long handOffNanos();

    /** A lease that is held for longer is logged. */
    long warnAfterNanos();

    /** Has {@code close()} begun? */
    boolean isClosing();

    /** A claim for what the waiter requests. */
    Claim newClaim(Waiter waiter);

    /** The store, if it is in this process and can grant and release at once. */
    @Nullable
    DirectStore directStore();

    RenewalPolicy renewalPolicy();

    QueueEvents events();

    LockExceptions exceptions();

    /** What is done after the mutex is free. */
    QueueActions actions();

    /** A lease was lost and its critical section may still run: the store may keep its claim for {@code life}. */
    void leaseLost(long life);

    /** A release is about to be sent, after the mutex is free: {@code close()} waits for it from now on. */
    void releaseAnnounced();

    /** A release that shortens a lease has to be repeated when a renewal under way is answered. */
    void releaseAwaitsRenewal();

    /** The queue has neither waiters nor grants. */
    void remove(LocalQueue queue);
}
