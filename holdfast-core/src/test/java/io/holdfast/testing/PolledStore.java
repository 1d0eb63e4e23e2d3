package io.holdfast.testing;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A real store of which only single attempts are used: no wait queue, and no hints. */
public final class PolledStore implements AttemptStore {

    private final LockStore store;

    public PolledStore(LockStore store) {
        this.store = store;
    }

    @Override
    public CompletableFuture<Attempt> attempt(Claim claim) {
        Claim once = new Claim(
                claim.name(),
                claim.id(),
                Claim.Mode.TRY,
                claim.units(),
                claim.capacity(),
                claim.lease(),
                claim.tokens(),
                claim.owner());
        return store.acquire(once)
                .thenApply(grant ->
                        grant.isPresent() ? new Attempt.Granted(grant.get()) : new Attempt.Busy(Duration.ofDays(1)));
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        return store.renew(renewals);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return store.release(claim);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return store.shorten(claim, lease);
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
        Capabilities its = store.capabilities();
        return new Capabilities(its.name(), Capabilities.Queue.NONE, its.sharing());
    }

    @Override
    public void onHint(Consumer<String> freed) {}

    @Override
    public void close() {
        store.close();
    }
}
