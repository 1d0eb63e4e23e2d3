package io.holdfast.internal;

import io.holdfast.LockOptions;
import java.time.Duration;

/** The options of a lock in the form the engine counts in: nanoseconds, with {@link Long#MAX_VALUE} for "no end". */
record Terms(LockOptions options, long maxWait, long lease, long maxHold, long holdAtLeast) {

    static final long NO_END = Long.MAX_VALUE;

    static Terms of(LockOptions options) {
        return new Terms(
                options,
                nanos(options.maxWait()),
                nanos(options.leaseTime()),
                options.maxHold().map(Terms::nanos).orElse(NO_END),
                nanos(options.holdAtLeast()));
    }

    boolean renewed() {
        return options.renewal() == LockOptions.Renewal.ON;
    }

    /** Saturates: whatever does not fit into a long is no end. */
    static long nanos(Duration duration) {
        return duration.toSeconds() > Long.MAX_VALUE / 1_000_000_000L - 1 ? NO_END : duration.toNanos();
    }
}
