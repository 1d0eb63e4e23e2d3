package io.holdfast.internal.handle;

import io.holdfast.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lease, or a set of them, as the code that acquires, runs a body and releases needs it.
 *
 * @param <L> what the user sees
 */
interface OwnedLease<L> {

    /** What the user sees. */
    L view();

    /** Releases it, and throws if it was lost. */
    void close();

    /** Releases it, without waiting; whether it was still held. Completes wherever the store's answer does. */
    CompletableFuture<Boolean> releaseInBackground();

    /** Why it was lost; null if it was not. */
    @Nullable
    LeaseLostException loss();

    /** {@code interruption} runs when it is lost. */
    void interruptOnLoss(Runnable interruption);

    /** No code has used it: it is released at once, whatever {@code holdAtLeast} says, and no callback runs. */
    void discard();
}
