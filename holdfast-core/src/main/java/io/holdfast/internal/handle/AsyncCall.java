package io.holdfast.internal.handle;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.runtime.Futures;
import io.holdfast.spi.support.Failures;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous critical section: the body runs when the lease is there, and the lease is released when the stage of the body has
 * completed, whatever happened to the result meanwhile.
 *
 * @param <L> what the user sees
 * @param <H> the lease behind it
 * @param <T> the result
 */
final class AsyncCall<L, H extends OwnedLease<L>, T extends @Nullable Object> {

    /*
     * The lock is held for as long as the stage is not complete. So a cancellation or a timeout of the result withdraws the claim,
     * but never completes the stage: to complete a CompletableFuture stops nothing, and the work would go on without the lock.
     *
     * User code runs on the executor only: the lease and the answer to the release come on a thread of the store, which must not be
     * blocked.
     */
    private final Executor executor;
    private final Function<? super L, ? extends CompletionStage<T>> body;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    AsyncCall(Executor executor, Function<? super L, ? extends CompletionStage<T>> body) {
        this.executor = executor;
        this.body = Objects.requireNonNull(body, "body");
    }

    CompletableFuture<T> start(CompletableFuture<H> acquiring) {
        Futures.whenDone(result, (value, failure) -> acquiring.cancel(false));
        Futures.whenDone(acquiring, (lease, failure) -> {
            if (lease != null) {
                executor.execute(() -> run(lease));
            } else {
                result.completeExceptionally(failure == null ? new IllegalStateException() : Failures.unwrap(failure));
            }
        });
        return result;
    }

    private void run(H lease) {
        if (result.isDone()) {
            lease.discard();
            return;
        }
        CompletionStage<T> stage;
        try {
            stage = Objects.requireNonNull(body.apply(lease.view()), "The body of callAsync() returned no stage.");
        } catch (Throwable thrown) {
            stage = CompletableFuture.failedFuture(thrown);
        }
        var unused = stage.whenComplete((value, failure) -> {
            CompletableFuture<Boolean> released = lease.releaseInBackground();
            if (released.isDone()) {
                complete(lease, value, failure);
            } else {
                Futures.whenDone(released, (held, never) -> executor.execute(() -> complete(lease, value, failure)));
            }
        });
    }

    private void complete(H lease, T value, @Nullable Throwable failure) {
        LeaseLostException lost = lease.loss();
        if (failure != null) {
            Throwable thrown = Failures.unwrap(failure);
            if (lost != null) {
                thrown.addSuppressed(lost);
            }
            result.completeExceptionally(thrown);
        } else if (lost != null) {
            result.completeExceptionally(lost);
        } else {
            result.complete(value);
        }
    }
}
