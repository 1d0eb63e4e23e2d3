package io.holdfast.spi.support;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.BlockingStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Runs a {@link BlockingStore} on an executor.
 *
 * <p>Size the executor like the connections behind it: a call takes a thread until the driver answers, so the driver's
 * own time-outs must be set. Waiting for a lock takes no thread.
 */
public final class ThreadedStore implements AttemptStore {

    private final BlockingStore store;
    private final Executor executor;

    /** Runs the calls of {@code store} on {@code executor}; closing this closes the store, not the executor. */
    public ThreadedStore(BlockingStore store, Executor executor) {
        this.store = store;
        this.executor = executor;
    }

    @Override
    public CompletableFuture<Attempt> attempt(Claim claim) {
        return call(() -> store.attempt(claim));
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        return call(() -> store.renew(renewals));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return call(() -> store.release(claim));
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return call(() -> store.shorten(claim, lease));
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return call(() -> store.inspect(filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return call(() -> store.revoke(name, token));
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    /** A blocking store pushes nothing: waiters poll. */
    @Override
    public void onHint(Consumer<String> freed) {}

    @Override
    public void close() {
        store.close();
    }

    private <T> CompletableFuture<T> call(Callable<T> driverCall) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            executor.execute(() -> {
                try {
                    answer.complete(driverCall.call());
                } catch (Throwable failure) {
                    answer.completeExceptionally(failure);
                }
            });
        } catch (RejectedExecutionException rejected) {
            answer.completeExceptionally(rejected);
        }
        return answer;
    }
}
