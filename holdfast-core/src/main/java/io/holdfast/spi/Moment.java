package io.holdfast.spi;

import java.util.concurrent.TimeUnit;

/**
 * A point in time on both clocks of a {@link Ticker}. Stores stamp the moment at which an answered request was
 * <em>sent</em>; the engine counts leases from there.
 *
 * @param nanos the monotonic clock
 * @param wallMicros the wall clock
 */
public record Moment(long nanos, long wallMicros) {

    /**
     * Nanoseconds from this moment to {@code now}: the larger of what the two clocks show. A suspended machine stops
     * the monotonic clock, a wall clock can be stepped back; a lease must be believed shorter, never longer.
     */
    public long nanosUntil(Moment now) {
        return Math.max(now.nanos - nanos, TimeUnit.MICROSECONDS.toNanos(now.wallMicros - wallMicros));
    }

    /** This moment, {@code nanos} later on both clocks. */
    public Moment plusNanos(long nanos) {
        return new Moment(this.nanos + nanos, wallMicros + TimeUnit.NANOSECONDS.toMicros(nanos));
    }
}
