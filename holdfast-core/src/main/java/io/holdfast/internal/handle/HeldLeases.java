package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.internal.runtime.Engine;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The leases of a lock set, released together. */
final class HeldLeases extends LeaseSetView implements OwnedLease<LeaseSet> {

    private final Engine engine;
    private final List<HeldLease> leases;
    private final AtomicBoolean ended = new AtomicBoolean();

    HeldLeases(Engine engine, List<HeldLease> leases) {
        this.engine = engine;
        this.leases = leases;
    }

    /** All are acquired; the first of them may have been lost while the last was waited for. */
    static HeldLeases complete(Engine engine, List<HeldLease> leases) {
        for (HeldLease lease : leases) {
            if (lease.state() == LeaseState.LOST) {
                throw lease.lost();
            }
        }
        return new HeldLeases(engine, List.copyOf(leases));
    }

    /** Ends an acquisition that did not get all. No code is notified of those that were lost meanwhile. */
    static CompletableFuture<Boolean> discard(List<HeldLease> acquired) {
        acquired.forEach(lease -> lease.record().markUnseen());
        return releaseAll(acquired);
    }

    /** The last one first: its next holder has the smaller names already, and can proceed. */
    private static CompletableFuture<Boolean> releaseAll(List<HeldLease> acquired) {
        CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
        for (int i = acquired.size() - 1; i >= 0; i--) {
            all = all.thenCombine(acquired.get(i).releaseInBackground(), Boolean::logicalAnd);
        }
        return all;
    }

    List<HeldLease> leases() {
        return leases;
    }

    @Override
    List<HeldLease> each() {
        return leases;
    }

    @Override
    public LeaseSet view() {
        return this;
    }

    @Override
    public Lease lease(String name) {
        for (HeldLease lease : leases) {
            if (lease.name().equals(name)) {
                return new NestedLease(lease);
            }
        }
        throw notInSet(name);
    }

    @Override
    public boolean release() {
        return releaseInBackground().join();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        CompletableFuture<Boolean> answer = releaseInBackground();
        return answer.isDone() ? answer.copy() : answer.thenApplyAsync(held -> held, engine::execute);
    }

    @Override
    public CompletableFuture<Boolean> releaseInBackground() {
        return ended.compareAndSet(false, true) ? releaseAll(leases) : CompletableFuture.completedFuture(false);
    }

    @Override
    public void close() {
        close(leases);
    }

    /** Closes the set, of which {@code left} are to be released; the others belong to a {@code lock()} of the current thread. */
    void close(List<HeldLease> left) {
        if (!ended.compareAndSet(false, true) || releaseAll(left).join()) {
            return;
        }
        LeaseLostException lost = loss();
        if (lost != null) {
            throw lost;
        }
    }

    @Override
    public @Nullable LeaseLostException loss() {
        LeaseLostException first = null;
        for (HeldLease lease : leases) {
            LeaseLostException lost = lease.loss();
            if (first == null) {
                first = lost;
            } else if (lost != null) {
                first.addSuppressed(lost);
            }
        }
        return first;
    }

    @Override
    public void interruptOnLoss(Runnable interruption) {
        leases.forEach(lease -> lease.interruptOnLoss(interruption));
    }

    @Override
    public void discard() {
        ended.set(true);
        var unused = discard(leases);
    }
}
