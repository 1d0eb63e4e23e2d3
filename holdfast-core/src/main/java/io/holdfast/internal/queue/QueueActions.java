package io.holdfast.internal.queue;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What a step of a local queue leaves to be done when its mutex is free: store calls and timers. */
public interface QueueActions {

    /** Sends a claim to the store; the answer goes to {@link LocalQueue#answered}. */
    void send(LocalQueue queue, PendingClaim claim);

    /** Sends a claim again, unchanged, after a backoff: its outcome is unknown. */
    void resend(LocalQueue queue, PendingClaim claim);

    /** Ends a claim that is not known to be granted. */
    void withdraw(Claim claim);

    /** Releases a claim that the store may keep for {@code life}; empty if the outcome is unknown. */
    CompletableFuture<Optional<Boolean>> release(Claim claim, long life);

    /** As {@link #release}, after {@code delay}; the answer is that to the shortening of the lease, which is sent at once. */
    CompletableFuture<Optional<Boolean>> releaseLater(Claim claim, long life, long delay);

    /** Shortens a lease once more, because a renewal that was under way may have lengthened it. */
    void shortenAgain(Claim claim, long rest);

    /** Renews a grant that has no lease, for a waiter who needs more of it than is left. */
    void renewForWaiter(LocalQueue queue, HeldGrant held, RenewalRequest renewal);

    /** Renews a grant soon that began shorter than it was requested. */
    void confirm(LocalQueue queue, HeldGrant held);

    /** Checks the leases at {@code nanos}, on the monotonic clock, or before. */
    void checkLeasesAt(long nanos);

    /** A release that was announced to the context has been sent, or has failed. */
    void releaseSent();

    /** A lease has ended. */
    void leaseEnded();

    /** The critical section of a lost lease has ended. */
    void lostLeaseClosed();

    /** Who holds the name, as the store sees it. */
    CompletableFuture<List<LockInfo>> inspect(String name);
}
