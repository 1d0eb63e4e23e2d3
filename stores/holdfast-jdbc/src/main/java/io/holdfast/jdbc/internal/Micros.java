package io.holdfast.jdbc.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Microseconds, the unit of all times in the tables. */
public final class Micros {

    private Micros() {}

    public static long of(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }

    public static Duration toDuration(long micros) {
        return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros));
    }
}
