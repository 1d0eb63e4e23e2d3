package io.holdfast.internal;

import io.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs user code on the user's executor, or on threads made for it if that refuses; what user code throws is logged. */
final class Callbacks {

    /** Beyond this, a callback that was called from a callback waits until the stack is short again. */
    private static final int DEEPEST = 32;

    private final Executor executor;
    private final CallbackThreads fallback;
    private final RateLimitedLog refusals;
    private final RateLimitedLog failures;

    /**
     * The callbacks that this thread is in. More than one there are only with an executor that runs tasks on the calling
     * thread: there, every callback that releases a lease calls the next one from inside itself.
     */
    @SuppressWarnings("ThreadLocalUsage") // one per engine
    private final ThreadLocal<@Nullable Nesting> nesting = new ThreadLocal<>();

    private static final class Nesting {
        private final Deque<Runnable> postponed = new ArrayDeque<>(2);
        private int depth = 1;
    }

    Callbacks(Executor executor, Ticker ticker) {
        this.executor = executor;
        this.fallback = new CallbackThreads("holdfast-fallback-", ticker);
        this.refusals = new RateLimitedLog(ticker);
        this.failures = new RateLimitedLog(ticker);
    }

    /** Never on the calling thread, unless that is what the executor does: it may be a driver's only one. */
    void run(Runnable userCode) {
        Runnable callback = () -> nested(userCode);
        try {
            executor.execute(callback);
        } catch (Throwable refused) {
            refusals.log(
                    Level.WARNING,
                    () -> "The executor refused a callback (" + Futures.describe(refused)
                            + "), so it runs on a thread of Holdfast. Give the executor a longer queue or more threads.");
            runAnyway(callback);
        }
    }

    /** The last resort is the calling thread: after close(), or if the JVM cannot start a thread. A waiter may depend on it. */
    private void runAnyway(Runnable callback) {
        try {
            fallback.execute(callback);
        } catch (Throwable noThread) {
            callback.run();
        }
    }

    /** Callbacks that the executor refuses from now on have no thread any more. */
    void close() {
        fallback.shutdown();
    }

    private void nested(Runnable userCode) {
        Nesting outer = nesting.get();
        if (outer == null) {
            Nesting outermost = new Nesting();
            nesting.set(outermost);
            try {
                for (Runnable next = userCode; next != null; next = outermost.postponed.poll()) {
                    guarded(next);
                }
            } finally {
                nesting.remove();
            }
        } else if (outer.depth == DEEPEST) {
            outer.postponed.add(userCode);
        } else {
            outer.depth++;
            guarded(userCode);
            outer.depth--;
        }
    }

    private void guarded(Runnable userCode) {
        try {
            userCode.run();
        } catch (Throwable thrown) {
            failures.log(Level.ERROR, thrown, () -> "A callback threw an exception; the lock is not affected.");
        }
    }
}
