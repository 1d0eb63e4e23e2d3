package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose answers can be lost after the command was executed, which is the unkind half of all time-outs. */
final class LosingStore extends ForwardingStore {

    private final AtomicInteger toLose = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    LosingStore(LockStore store) {
        super(store);
    }

    /** The next {@code count} answers to an acquire or a release do not arrive. */
    void loseTheNextAnswers(int count) {
        toLose.set(count);
    }

    int lost() {
        return lost.get();
    }

    private <T> CompletableFuture<T> maybe(CompletableFuture<T> answer) {
        if (toLose.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
            return answer;
        }
        lost.incrementAndGet();
        return answer.thenCompose(value -> CompletableFuture.failedFuture(new TimeoutException("the answer was lost")));
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        return maybe(super.acquire(claim));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return maybe(super.release(claim));
    }
}
