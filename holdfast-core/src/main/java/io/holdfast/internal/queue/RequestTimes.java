package io.holdfast.internal.queue;

import io.holdfast.LockOptions;
import java.time.Duration;

/** The options of a request with their durations in nanoseconds; {@link Long#MAX_VALUE} stands for "no end". */
public record RequestTimes(LockOptions options, long maxWait, long lease, long maxHold, long holdAtLeast) {

    public static final long NO_END = Long.MAX_VALUE;

    public static RequestTimes of(LockOptions options) {
        return new RequestTimes(
                options,
                nanos(options.maxWait()),
                nanos(options.leaseTime()),
                options.maxHold().map(RequestTimes::nanos).orElse(NO_END),
                nanos(options.holdAtLeast()));
    }

    boolean renewed() {
        return options.renewal() == LockOptions.Renewal.ON;
    }

    /** Saturates: a duration that does not fit into a long is "no end". */
    public static long nanos(Duration duration) {
        return duration.toSeconds() > Long.MAX_VALUE / 1_000_000_000L - 1 ? NO_END : duration.toNanos();
    }
}
