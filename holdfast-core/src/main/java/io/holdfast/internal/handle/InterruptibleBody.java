package io.holdfast.internal.handle;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A body that may be interrupted when its lease is lost, and never after it has ended: an interrupt that came late would
 * hit whatever the thread does next.
 */
public final class InterruptibleBody {

    /*
     * A thread has one interrupt flag, for our interrupt and for those of others, such as a cancellation. Ours is cleared at
     * the end of the body, because the caller gets a LeaseLostException instead. An interrupt of others must not vanish with it:
     *
     *   - It came before ours: `foreign` remembers that. If the flag is still set at the end, it stays. If the body ended with an
     *     InterruptedException, that exception becomes a suppressed one, so the flag is set again.
     *   - It came after ours, which the body has consumed by an InterruptedException: then a flag that is set at the end is
     *     theirs, and stays.
     *   - It is ours, for the lease of a body around this one: that body is known, and the flag stays for it.
     *   - It came after ours, which the body has not consumed: the two cannot be told apart, and the flag is cleared. The same is
     *     so between the two lines of `interrupt()`. The caller still gets the LeaseLostException.
     */

    private enum Stage {
        RUNNING,
        INTERRUPTING,
        INTERRUPTED,
        ENDED
    }

    private final Thread thread = Thread.currentThread();

    /** The body that this one is called from; null if there is none. */
    private final @Nullable InterruptibleBody outer;

    /** The body that is called from this one at present. */
    private volatile @Nullable InterruptibleBody inner;

    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.RUNNING);

    /** Others had interrupted the thread before; published by {@code stage}. */
    private boolean foreign;

    public InterruptibleBody(@Nullable InterruptibleBody outer) {
        this.outer = outer;
        if (outer != null) {
            outer.inner = this;
        }
    }

    private boolean isInnerInterrupted() {
        for (InterruptibleBody each = inner; each != null; each = each.inner) {
            if (each.stage.get() != Stage.RUNNING) {
                return true;
            }
        }
        return false;
    }

    public void interrupt() {
        if (stage.compareAndSet(Stage.RUNNING, Stage.INTERRUPTING)) {
            foreign = thread.isInterrupted() && !isInterrupted(outer) && !isInnerInterrupted();
            thread.interrupt();
            stage.set(Stage.INTERRUPTED);
        }
    }

    /**
     * Called by the body's thread when it is done. Clears the interrupt flag if it was set from here, and only from here.
     *
     * @return whether it was interrupted from here
     */
    public boolean end(@Nullable Throwable thrown) {
        if (outer != null) {
            outer.inner = null;
        }
        if (stage.compareAndSet(Stage.RUNNING, Stage.ENDED)) {
            return false;
        }
        while (stage.get() == Stage.INTERRUPTING) {
            Thread.onSpinWait();
        }
        boolean consumed = thrown instanceof InterruptedException;
        boolean theirs = foreign || isInterrupted(outer);
        if (theirs && consumed) {
            thread.interrupt();
        } else if (!theirs && !consumed) {
            Thread.interrupted();
        }
        return true;
    }

    /** Has Holdfast interrupted one of the bodies from {@code first} outwards? */
    private static boolean isInterrupted(@Nullable InterruptibleBody first) {
        for (InterruptibleBody each = first; each != null; each = each.outer) {
            if (each.stage.get() != Stage.RUNNING) {
                return true;
            }
        }
        return false;
    }

    @Nullable
    InterruptibleBody outer() {
        return outer;
    }
}
