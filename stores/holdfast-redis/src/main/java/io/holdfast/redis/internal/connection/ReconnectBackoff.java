package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;

/** The delay before the next attempt to connect: exponential backoff up to a second, with full jitter. */
final class ReconnectBackoff {

    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);

    private final DoubleSupplier random;
    private final AtomicInteger doublings = new AtomicInteger();

    ReconnectBackoff(Environment environment) {
        this.random = environment.random();
    }

    /** Nanoseconds to the next attempt. */
    long next() {
        int times = doublings.getAndUpdate(count -> Math.min(count + 1, 10));
        return (long) (random.getAsDouble() * Math.min(LONGEST, SHORTEST << times));
    }

    /** The last attempt was successful. */
    void reset() {
        doublings.set(0);
    }
}
