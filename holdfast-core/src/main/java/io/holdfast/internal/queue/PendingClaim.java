package io.holdfast.internal.queue;

import io.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/** A claim that this process has sent to the store and that is not granted yet. Guarded by the queue's mutex. */
public final class PendingClaim {

    final Claim claim;
    /** For whom it was made. The head of the queue gets the grant, unless it is a single attempt. */
    final Waiter waiter;

    /** No waiter wants it any more; written under the mutex, read by the thread that sends it. */
    private volatile boolean withdrawn;

    /** It was sent and not answered; not between a failure and the next try. */
    private volatile boolean underWay;

    private int failures;

    /** Why the last request failed; null again when the store has answered something else since. */
    @Nullable
    Throwable failure;

    /** The same, kept until the claim ends, and when it was, on the monotonic clock. */
    @Nullable
    Throwable lastFailure;

    long failedAt;

    PendingClaim(Claim claim, Waiter waiter) {
        this.claim = claim;
        this.waiter = waiter;
    }

    /** A claim that takes the place of {@code earlier}, whose answers took too long. */
    PendingClaim(Claim claim, Waiter waiter, PendingClaim earlier) {
        this(claim, waiter);
        this.failures = earlier.failures;
    }

    public Claim claim() {
        return claim;
    }

    public LockRequest request() {
        return waiter.request;
    }

    boolean isWhole() {
        return claim.units() == claim.capacity();
    }

    void withdraw() {
        withdrawn = true;
    }

    public boolean isWithdrawn() {
        return withdrawn;
    }

    /** It is about to be sent. */
    public void sending() {
        underWay = true;
    }

    boolean isUnderWay() {
        return underWay;
    }

    void failed(Throwable cause, long now) {
        underWay = false;
        failures++;
        failure = cause;
        lastFailure = cause;
        failedAt = now;
    }

    /** How many requests for it have failed, one after the other. */
    public int failures() {
        return failures;
    }
}
