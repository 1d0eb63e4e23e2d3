package io.holdfast.tck;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Renewal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A store whose answers can be lost after the command was executed, which is the unkind half of all time-outs. */
final class LosingStore implements LockStore {

    private final LockStore store;
    private final AtomicInteger toLose = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();

    LosingStore(LockStore store) {
        this.store = store;
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
        return maybe(store.acquire(claim));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return maybe(store.release(claim));
    }

    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        return store.renew(renewals);
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return store.inspect(filter);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return store.revoke(name, token);
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        store.close();
    }
}
