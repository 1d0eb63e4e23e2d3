package io.holdfast.internal.handle;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.runtime.Futures;
import io.holdfast.spi.support.Failures;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
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

    private final Function<? super L, ? extends CompletionStage<T>> body;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    /** What a cancellation of the result cancels: the acquisition, then the stage of the body. */
    private final AtomicReference<@Nullable CompletableFuture<?>> underWay = new AtomicReference<>();

    AsyncCall(Function<? super L, ? extends CompletionStage<T>> body) {
        this.body = Objects.requireNonNull(body, "body");
    }

    CompletableFuture<T> start(CompletableFuture<H> acquiring) {
        underWay.set(acquiring);
        Futures.whenDone(result, (value, failure) -> {
            CompletableFuture<?> present = underWay.get();
            if (present != null) {
                present.cancel(false);
            }
        });
        Futures.whenDone(acquiring, (lease, failure) -> {
            if (lease == null) {
                result.completeExceptionally(failure == null ? new IllegalStateException() : Failures.unwrap(failure));
            } else if (result.isDone()) {
                lease.discard();
            } else {
                run(lease);
            }
        });
        return result;
    }

    private void run(H lease) {
        CompletionStage<T> stage;
        try {
            stage = Objects.requireNonNull(body.apply(lease.view()), "The body of callAsync() returned no stage.");
        } catch (Throwable thrown) {
            stage = CompletableFuture.failedFuture(thrown);
        }
        if (stage instanceof CompletableFuture<T> cancellable) {
            underWay.set(cancellable);
            if (result.isDone()) {
                cancellable.cancel(false);
            }
        }
        var unused = stage.whenComplete((value, failure) ->
                Futures.whenDone(lease.releaseInBackground(), (held, never) -> complete(lease, value, failure)));
    }

    private void complete(H lease, T value, @Nullable Throwable failure) {
        // What the result was cancelled by has happened.
        underWay.set(null);
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
