package io.holdfast.internal;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs user code on the user's executor, and keeps from the engine what comes of it. */
final class Callbacks {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /** Beyond this, a callback that was called from a callback waits until the stack is short again. */
    private static final int DEEPEST = 32;

    private final Executor executor;

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

    Callbacks(Executor executor) {
        this.executor = executor;
    }

    void run(Runnable userCode) {
        try {
            executor.execute(() -> nested(userCode));
        } catch (Throwable refused) {
            // Rather on this thread than never: somebody may be waiting for it.
            LOG.log(Level.WARNING, "The executor refused a callback; running it on " + Thread.currentThread(), refused);
            nested(userCode);
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

    private static void guarded(Runnable userCode) {
        try {
            userCode.run();
        } catch (Throwable thrown) {
            LOG.log(Level.ERROR, "A callback threw; the lock is not affected.", thrown);
        }
    }
}
