package io.holdfast.internal.queue;

import io.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/** An acquisition in a local queue: a parked thread or a future. */
public abstract class Waiter {

    public final LockRequest request;
    public final Claim.Mode mode;
    /** When the wait began, on the monotonic clock. */
    public final long since;
    /** When it came to its queue, on the monotonic clock: later than {@code since} if it comes again. */
    public final long joined;
    /** How long it waits, in nanoseconds. */
    public final long waitNanos;
    /** The thread that waits; null if none does. For messages and for {@code requireHeld()}. */
    public final @Nullable Thread caller;

    final StackTraceElement @Nullable [] callSite;

    // Guarded by the queue's mutex: links of WaiterQueue, the claim that is for this waiter alone, and the lease it was
    // given.

    @Nullable
    Waiter before;

    @Nullable
    Waiter after;

    boolean queued;

    /** When it came, it was the first waiter behind a holder of this process. */
    private boolean firstBehindLocalHolder;

    /** A single attempt, made for this waiter alone. */
    @Nullable
    PendingClaim attempt;

    @Nullable
    LeaseHandle given;

    long checkLeaseAt;

    protected Waiter(
            LockRequest request,
            Claim.Mode mode,
            long since,
            long joined,
            long waitNanos,
            @Nullable Thread caller,
            StackTraceElement @Nullable [] callSite) {
        this.request = request;
        this.mode = mode;
        this.since = since;
        this.joined = joined;
        this.waitNanos = waitNanos;
        this.caller = caller;
        this.callSite = callSite;
    }

    /** What is left of the wait. */
    public final long left(long now) {
        return waitNanos == RequestTimes.NO_END ? RequestTimes.NO_END : waitNanos - (now - since);
    }

    /** When the wait began, if it comes again now. A single attempt does not wait: it has all of its time again. */
    public final long sinceAgain(long now) {
        return mode == Claim.Mode.TRY ? now : since;
    }

    void behindLocalHolder(boolean first) {
        firstBehindLocalHolder = first;
    }

    /** It is likely to be served within microseconds. */
    protected final boolean isFirstBehindLocalHolder() {
        return firstBehindLocalHolder;
    }

    /** Makes the lease object for the user. Called under the queue's mutex. */
    protected abstract LeaseHandle newLease(LocalQueue queue, HeldGrant held, long token, long now);

    /** It has the lease now. Called once, without the queue's mutex, and not after {@link #refused}. */
    protected abstract void served(LeaseHandle lease);

    /** It will not get the lease: the name is held (null), or for this reason. Called once, as {@link #served}. */
    protected abstract void refused(@Nullable RuntimeException reason);
}
