package io.holdfast.internal;

import io.holdfast.spi.Moment;

/**
 * How long the store is known to keep a claim.
 *
 * <p>Counted from the moment at which the answered request was sent, on whichever clock has run further, and shortened
 * by a margin for clocks that run at different speeds: so the holder's view ends before the store's.
 *
 * @param from when the request was sent
 * @param nanos how long the store promised
 */
record Term(Moment from, long nanos) {

    /** More than two centuries, and still far from where nanoseconds overflow. */
    static final long LONGEST = Long.MAX_VALUE / 4;

    /** One per cent and two milliseconds: more than any two working clocks drift apart within a lease. */
    static long margin(long nanos) {
        return nanos / 100 + 2_000_000;
    }

    long left(Moment now) {
        return nanos - margin(nanos) - from.nanosUntil(now);
    }

    /** On the monotonic clock: when this will be over, if no clock jumps. */
    long endNanos() {
        return from.nanos() + nanos - margin(nanos);
    }
}
