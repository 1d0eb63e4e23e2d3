package io.holdfast.spi.support;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Durations as people read them in a log: {@code 350 ms}, {@code 7.7 s}, {@code 2 min 5 s}, {@code 1 h 3 min}. */
public final class DurationText {

    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);
    private static final long DAY = TimeUnit.DAYS.toNanos(1);

    private DurationText() {}

    /** The text for a duration; what is negative counts as nothing. */
    public static String of(Duration duration) {
        try {
            return of(duration.toNanos());
        } catch (ArithmeticException centuries) {
            return duration.toDays() + " d";
        }
    }

    /** The text for a number of nanoseconds; what is negative counts as nothing. */
    public static String of(long nanos) {
        // Rounded to what is shown before the unit is chosen: 999.7 ms is 1.0 s.
        long millis = (Math.max(nanos, 0) + 500_000) / 1_000_000;
        if (nanos > 0 && millis < 10) {
            return tenths(nanos, MILLISECOND, "ms");
        }
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (nanos < MINUTE - SECOND / 20) {
            return tenths(nanos, SECOND, "s");
        }
        long seconds = (nanos + SECOND / 2) / SECOND * SECOND;
        if (seconds < HOUR) {
            return two(seconds, MINUTE, "min", SECOND, "s");
        }
        return seconds < DAY ? two(seconds, HOUR, "h", MINUTE, "min") : two(seconds, DAY, "d", HOUR, "h");
    }

    /** Rounded to the nearest tenth of the unit. */
    private static String tenths(long nanos, long unit, String name) {
        long tenths = (nanos + unit / 20) / (unit / 10);
        return tenths / 10 + "." + tenths % 10 + " " + name;
    }

    private static String two(long nanos, long unit, String name, long part, String partName) {
        long rest = nanos % unit / part;
        return nanos / unit + " " + name + (rest == 0 ? "" : " " + rest + " " + partName);
    }
}
