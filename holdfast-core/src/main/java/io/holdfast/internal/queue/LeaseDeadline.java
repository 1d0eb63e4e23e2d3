package io.holdfast.internal.queue;

import io.holdfast.spi.Moment;

/**
 * Until when the store is known to keep a claim.
 *
 * <p>Counted from the moment at which the answered request was sent, on whichever clock has advanced further, and shortened
 * by a margin for clocks that run at different speeds: so the lease ends for its holder before it ends in the store.
 *
 * @param from when the request was sent
 * @param nanos the lease that the store granted
 */
public record LeaseDeadline(Moment from, long nanos) {

    /** More than two centuries, and still far from where nanoseconds overflow. */
    public static final long LONGEST = Long.MAX_VALUE / 4;

    /** One per cent and two milliseconds: more than any two working clocks drift apart within a lease. */
    static long margin(long nanos) {
        return nanos / 100 + 2_000_000;
    }

    long left(Moment now) {
        return nanos - margin(nanos) - from.nanosUntil(now);
    }

    /** The deadline on the monotonic clock, if no clock is stepped. */
    public long endNanos() {
        return from.nanos() + nanos - margin(nanos);
    }
}
