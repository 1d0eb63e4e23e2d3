package io.holdfast.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs user code on the user's executor, and keeps from the engine what comes of it. */
final class Callbacks {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final Executor executor;

    /**
     * Callbacks that wait for the one which this thread is in. There are any only with an executor that runs tasks on the
     * calling thread; without this, every callback that releases a lease would call the next one from inside itself.
     */
    @SuppressWarnings("ThreadLocalUsage") // one per engine
    private final ThreadLocal<@Nullable Deque<Runnable>> nested = new ThreadLocal<>();

    Callbacks(Executor executor) {
        this.executor = executor;
    }

    void run(Runnable userCode) {
        try {
            executor.execute(() -> guarded(userCode));
        } catch (Throwable refused) {
            // Rather on this thread than never: somebody may be waiting for it.
            LOG.log(Level.WARNING, "The executor refused a callback; running it on " + Thread.currentThread(), refused);
            guarded(userCode);
        }
    }

    private void guarded(Runnable userCode) {
        Deque<Runnable> outer = nested.get();
        if (outer != null) {
            outer.add(userCode);
            return;
        }
        Deque<Runnable> inner = new ArrayDeque<>(2);
        nested.set(inner);
        try {
            for (Runnable next = userCode; next != null; next = inner.poll()) {
                try {
                    next.run();
                } catch (Throwable thrown) {
                    LOG.log(Level.ERROR, "A callback threw; the lock is not affected.", thrown);
                }
            }
        } finally {
            nested.remove();
        }
    }
}
