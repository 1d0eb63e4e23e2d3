package io.holdfast.internal;

import io.holdfast.spi.Claim;
import org.jspecify.annotations.Nullable;

/** Somebody in a line: a parked thread or a future. */
abstract class Waiter {

    final Wish wish;
    final Claim.Mode mode;
    final long since;
    /** When it came to its line, on the monotonic clock: later than {@code since} if it comes again. */
    final long joined;
    /** How long it waits, in nanoseconds. */
    final long patience;
    /** The thread that waits; null if none does. For messages and for {@code requireHeld()}. */
    final @Nullable Thread caller;

    final StackTraceElement @Nullable [] site;

    // Guarded by the line's mutex: links of WaiterQueue, the bid that is for this waiter alone, and what it was given.

    @Nullable
    Waiter before;

    @Nullable
    Waiter after;

    boolean queued;

    /** When it came, it was first in line behind a holder of this process. */
    boolean nextHere;

    /** One attempt, made for this waiter and for nobody else. */
    @Nullable
    Bid attempt;

    @Nullable
    HeldLease given;

    long lookAt;

    Waiter(
            Wish wish,
            Claim.Mode mode,
            long since,
            long joined,
            long patience,
            @Nullable Thread caller,
            StackTraceElement @Nullable [] site) {
        this.wish = wish;
        this.mode = mode;
        this.since = since;
        this.joined = joined;
        this.patience = patience;
        this.caller = caller;
        this.site = site;
    }

    /** What is left of the wait. */
    final long left(long now) {
        return patience == Terms.NO_END ? Terms.NO_END : patience - (now - since);
    }

    /** When it began to wait, if it comes again now. A single attempt does not wait: it has all of its time again. */
    final long sinceAgain(long now) {
        return mode == Claim.Mode.TRY ? now : since;
    }

    /** It has the lease now. Called once, without the line's mutex, and not after {@link #refused}. */
    abstract void served(HeldLease lease);

    /** It will not get the lease: the name is taken (null), or for this reason. Called once, as {@link #served}. */
    abstract void refused(@Nullable RuntimeException reason);
}
