package io.holdfast.tck;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Passes everything on; to be overridden where it should not. */
class ForwardingStore implements LockStore {

    final LockStore store;

    ForwardingStore(LockStore store) {
        this.store = store;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        return store.acquire(claim);
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
        return store.capabilities();
    }

    @Override
    public void close() {
        store.close();
    }
}
