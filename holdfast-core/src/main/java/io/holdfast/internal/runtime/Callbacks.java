package io.holdfast.internal.runtime;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.Failures;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
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

    /** Runs once: an executor may throw although it has accepted the task. */
    private final class Callback extends AtomicBoolean implements Runnable {

        private static final long serialVersionUID = 1L;

        private final transient Runnable userCode;

        private Callback(Runnable userCode) {
            this.userCode = userCode;
        }

        @Override
        public void run() {
            if (compareAndSet(false, true)) {
                nested(userCode);
            }
        }
    }

    private static final class Nesting {
        private final Deque<Runnable> postponed = new ArrayDeque<>(2);
        private int depth = 1;
    }

    Callbacks(Executor executor, Scheduler scheduler, Ticker ticker) {
        this.executor = executor;
        this.fallback = CallbackThreads.growing("holdfast-fallback-", scheduler, ticker);
        this.refusals = new RateLimitedLog(Engine.LOG, ticker, Duration.ofSeconds(1));
        this.failures = new RateLimitedLog(Engine.LOG, ticker, Duration.ofSeconds(1));
    }

    /** Never on the calling thread, unless that is what the executor does: it may be a driver's only one. */
    void run(Runnable userCode) {
        Runnable callback = new Callback(userCode);
        try {
            executor.execute(callback);
        } catch (Throwable refused) {
            refusals.log(
                    Level.WARNING,
                    null,
                    () -> "The executor refused a callback (" + Failures.describe(refused)
                            + "), so it runs on a thread of Holdfast. Give the executor a longer queue or more threads.");
            runAnyway(callback);
        }
    }

    /** The last resort is the calling thread, if the JVM cannot start another one: a waiter may depend on it. */
    private void runAnyway(Runnable callback) {
        try {
            fallback.execute(callback);
        } catch (Throwable noThread) {
            callback.run();
        }
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
