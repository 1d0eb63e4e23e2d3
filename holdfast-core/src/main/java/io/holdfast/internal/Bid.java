package io.holdfast.internal;

import io.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/** A claim that this process has sent to the store and that is not granted yet. Guarded by the line's mutex. */
final class Bid {

    final Claim claim;
    /** For whom it was made. Whoever is first in line gets the grant, unless it is a single attempt. */
    final Waiter waiter;

    /** Nobody wants it any more; written under the mutex, read by whoever is sending it. */
    volatile boolean withdrawn;

    /** It was sent and not answered; not between a failure and the next try. */
    volatile boolean underWay;

    int failures;

    /** Why the last request failed; null again when the store has answered something else since. */
    @Nullable
    Throwable failure;

    /** The same, kept until the claim ends, and when it was, on the monotonic clock. */
    @Nullable
    Throwable lastFailure;

    long failedAt;

    Bid(Claim claim, Waiter waiter) {
        this.claim = claim;
        this.waiter = waiter;
    }

    boolean isWhole() {
        return claim.units() == claim.capacity();
    }
}
