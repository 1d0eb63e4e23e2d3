package io.holdfast.internal;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A body that may be interrupted when its lease is lost, and never after it has ended: an interrupt that came late would
 * hit whatever the thread does next.
 */
final class BodyRun {

    private enum Stage {
        RUNNING,
        INTERRUPTING,
        INTERRUPTED,
        ENDED
    }

    private final Thread thread = Thread.currentThread();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.RUNNING);

    void interrupt() {
        if (stage.compareAndSet(Stage.RUNNING, Stage.INTERRUPTING)) {
            thread.interrupt();
            stage.set(Stage.INTERRUPTED);
        }
    }

    /**
     * Called by the body's thread when it is done. If it was interrupted from here, the flag is ours and is cleared; unless
     * the body ended with an {@link InterruptedException}, which took our interrupt with it: a flag is somebody else's then.
     *
     * @return whether it was interrupted from here
     */
    boolean end(@Nullable Throwable thrown) {
        if (stage.compareAndSet(Stage.RUNNING, Stage.ENDED)) {
            return false;
        }
        while (stage.get() == Stage.INTERRUPTING) {
            Thread.onSpinWait();
        }
        if (!(thrown instanceof InterruptedException)) {
            Thread.interrupted();
        }
        return true;
    }
}
