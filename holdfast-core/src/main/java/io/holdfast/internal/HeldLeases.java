package io.holdfast.internal;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Several leases in the user's hands, given back together. */
final class HeldLeases implements LeaseSet {

    private final Engine engine;
    private final List<HeldLease> leases;
    private final AtomicBoolean ended = new AtomicBoolean();

    HeldLeases(Engine engine, List<HeldLease> leases) {
        this.engine = engine;
        this.leases = leases;
    }

    /** Ends an acquisition that did not get all. Those that were lost meanwhile have nobody to tell. */
    static void giveBack(List<HeldLease> taken) {
        taken.forEach(lease -> lease.hold().unseen = true);
        giveAll(taken).join();
    }

    /** As {@link #giveBack}, without waiting for the store. */
    static void giveBackLater(List<HeldLease> taken) {
        taken.forEach(lease -> lease.hold().unseen = true);
        var unused = giveAll(taken);
    }

    /** The last one first: who waits for it holds smaller names, and can go on. */
    private static CompletableFuture<Boolean> giveAll(List<HeldLease> taken) {
        CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
        for (int i = taken.size() - 1; i >= 0; i--) {
            all = all.thenCombine(taken.get(i).giveBack(), Boolean::logicalAnd);
        }
        return all;
    }

    @Override
    public List<String> names() {
        return leases.stream().map(HeldLease::name).toList();
    }

    @Override
    public Lease lease(String name) {
        for (HeldLease lease : leases) {
            if (lease.name().equals(name)) {
                return new NestedLease(lease);
            }
        }
        throw new IllegalArgumentException("'" + name + "' is not in the set: " + names());
    }

    @Override
    public LeaseState state() {
        LeaseState worst = LeaseState.HELD;
        for (HeldLease lease : leases) {
            LeaseState state = lease.state();
            if (state == LeaseState.LOST) {
                return state;
            }
            if (state.compareTo(worst) > 0) {
                worst = state;
            }
        }
        return worst;
    }

    @Override
    public Duration remaining() {
        return leases.stream()
                .map(HeldLease::remaining)
                .min(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    @Override
    public void ensureHeld() {
        leases.forEach(HeldLease::ensureHeld);
    }

    @Override
    public void onLost(Runnable callback) {
        AtomicBoolean told = new AtomicBoolean();
        Runnable once = () -> {
            if (told.compareAndSet(false, true)) {
                callback.run();
            }
        };
        leases.forEach(lease -> lease.onLost(once));
    }

    @Override
    public boolean release() {
        return ended.compareAndSet(false, true) && giveAll(leases).join();
    }

    @Override
    public CompletableFuture<Boolean> releaseAsync() {
        if (!ended.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(false);
        }
        CompletableFuture<Boolean> answer = giveAll(leases);
        return answer.isDone() ? answer : answer.thenApplyAsync(ours -> ours, engine::execute);
    }

    @Override
    public void close() {
        if (!ended.compareAndSet(false, true) || giveAll(leases).join()) {
            return;
        }
        LeaseLostException first = null;
        for (HeldLease lease : leases) {
            if (lease.hold().recorded() == LeaseState.LOST) {
                if (first == null) {
                    first = lease.lost();
                } else {
                    first.addSuppressed(lease.lost());
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public String toString() {
        return "LeaseSet" + leases;
    }
}
