package io.holdfast.internal.handle;

import io.holdfast.Lease;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A set of leases as seen from inside a re-entrant call: releasing them is left to the outermost caller. */
final class NestedLeases extends LeaseSetView {

    private final List<NestedLease> leases;

    NestedLeases(List<NestedLease> leases) {
        this.leases = leases;
    }

    @Override
    List<NestedLease> each() {
        return leases;
    }

    @Override
    public Lease lease(String name) {
        return leases.stream()
                .filter(lease -> lease.name().equals(name))
                .findFirst()
                .orElseThrow(() -> notInSet(name));
    }

    /** Does not release; whether all are still held. */
    @Override
    public boolean release() {
        return isHeld();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        return CompletableFuture.completedFuture(release());
    }

    @Override
    public void close() {
        leases.forEach(NestedLease::close);
    }
}
