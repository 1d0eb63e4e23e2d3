package io.holdfast.architecture.bad;

import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.Date;
import java.util.function.LongSupplier;

/** Reads time in all the ways there are. */
@SuppressWarnings("JavaUtilDate")
public final class ReadsClocks {

    long monotonic() {
        return System.nanoTime();
    }

    long wall() {
        return System.currentTimeMillis();
    }

    LongSupplier byReference() {
        return System::nanoTime;
    }

    LongSupplier inALambda() {
        return () -> 2 * System.nanoTime();
    }

    Instant instant() {
        return Instant.now();
    }

    LocalDateTime local() {
        return LocalDateTime.now(ZoneOffset.UTC);
    }

    Clock clock() {
        return Clock.systemUTC();
    }

    Date date() {
        return new Date();
    }

    Calendar calendar() {
        return Calendar.getInstance();
    }
}
