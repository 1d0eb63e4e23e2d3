package io.holdfast.spi.support;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;

/** Random delays between retries, so that many clients do not retry in step after an outage. Thread-safe. */
public final class Backoff {

    private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(20);

    private final DoubleSupplier random;

    /** {@code random} yields numbers from 0 (inclusive) to 1 (exclusive). */
    public Backoff(DoubleSupplier random) {
        this.random = random;
    }

    /** Doubles from 20 ms on, up to {@code longest} nanoseconds, less a random part of up to a half. */
    public long delay(int failures, long longest) {
        long full = Math.min(longest, FIRST << Math.min(failures - 1, 10));
        return (long) (full * (0.5 + 0.5 * random.getAsDouble()));
    }

    /** Up to a tenth of {@code nanos} less, at random: so renewals of many processes do not stay in step. */
    public long jittered(long nanos) {
        return (long) (nanos * (0.9 + 0.1 * random.getAsDouble()));
    }
}
