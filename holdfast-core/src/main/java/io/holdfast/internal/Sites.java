package io.holdfast.internal;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where leases were acquired. A walk over the stack costs about a microsecond, which only an in-JVM lock would
 * feel: so at most one a millisecond is taken, and a program that acquires faster than that gets samples.
 */
final class Sites {

    private static final int FRAMES = 4;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String ENGINE = Sites.class.getPackageName() + '.';

    private volatile long last;

    StackTraceElement @Nullable [] capture(long now) {
        if (now - last < PAUSE_NANOS && last != 0) {
            return null;
        }
        last = now == 0 ? 1 : now;
        return WALKER.walk(
                frames -> frames.dropWhile(frame -> frame.getClassName().startsWith(ENGINE))
                        .limit(FRAMES)
                        .map(StackWalker.StackFrame::toStackTraceElement)
                        .toArray(StackTraceElement[]::new));
    }

    static String describe(StackTraceElement @Nullable [] site) {
        if (site == null) {
            return "(acquired too often to record every place)";
        }
        return Arrays.stream(site).map(StackTraceElement::toString).collect(Collectors.joining(" < "));
    }
}
