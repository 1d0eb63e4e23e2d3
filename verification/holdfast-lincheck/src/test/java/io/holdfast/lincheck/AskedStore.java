package io.holdfast.lincheck;

import io.holdfast.internal.memory.MemoryStore;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The in-JVM store without its short cuts: the engine has to ask it as it asks any other. */
record AskedStore(MemoryStore store) implements LockStore {

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
