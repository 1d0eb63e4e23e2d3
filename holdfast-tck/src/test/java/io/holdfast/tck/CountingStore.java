package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RenewalRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what would be commands on a wire. */
final class CountingStore extends ForwardingStore {

    private final AtomicLong commands;

    CountingStore(LockStore store, AtomicLong commands) {
        super(store);
        this.commands = commands;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        commands.incrementAndGet();
        return super.acquire(claim);
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        commands.incrementAndGet();
        return super.renew(renewals);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        commands.incrementAndGet();
        return super.release(claim);
    }
}
