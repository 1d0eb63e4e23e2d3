package io.holdfast.internal.queue;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records where leases are acquired. A walk over the stack takes about a microsecond, which only an in-JVM lock would
 * notice: so at most one per millisecond is taken, and a program that acquires faster than that gets samples.
 */
public final class CallSites {

    private static final int FRAMES = 4;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final String INTERNALS = "io.holdfast.internal.";
    private static final Set<String> API = Set.of("io.holdfast.DistributedSemaphore");

    private volatile long last;

    public StackTraceElement @Nullable [] capture(long now) {
        if (now - last < PAUSE_NANOS && last != 0) {
            return null;
        }
        last = now == 0 ? 1 : now;
        return WALKER.walk(frames -> frames.dropWhile(frame -> isOurs(frame.getClassName()))
                .limit(FRAMES)
                .map(StackWalker.StackFrame::toStackTraceElement)
                .toArray(StackTraceElement[]::new));
    }

    private static boolean isOurs(String className) {
        return className.startsWith(INTERNALS) || API.contains(className);
    }

    public static String describe(StackTraceElement @Nullable [] callSite) {
        if (callSite == null) {
            return "(acquired too often to record every call site)";
        }
        return Arrays.stream(callSite).map(StackTraceElement::toString).collect(Collectors.joining(" < "));
    }

    static List<StackTraceElement> listed(StackTraceElement @Nullable [] callSite) {
        return callSite == null ? List.of() : List.of(callSite);
    }
}
