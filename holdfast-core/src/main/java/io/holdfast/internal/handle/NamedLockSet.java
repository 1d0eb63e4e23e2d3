package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockSet;
import io.holdfast.internal.queue.RequestTimes;
import io.holdfast.internal.runtime.Engine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Several locks, in the order of their names. */
final class NamedLockSet extends Acquirer<LeaseSet, HeldLeases> implements LockSet {

    /*
     * No deadlock between sets: a thread that waits for a name holds only smaller ones, and all processes compare names alike
     * (code unit by code unit, whatever the locale). Follow the waits from any thread: the names only grow, so the walk ends at
     * one that waits for none of them. A thread inside of one of the locks may enter a set again only if it holds all of it:
     * otherwise it would wait for a name while it holds a larger one.
     */
    private final Engine engine;
    private final List<NamedLock> locks;

    /** {@code locks} are sorted by name, and different. */
    NamedLockSet(Engine engine, ThreadLeases threadLeases, List<NamedLock> locks, RequestTimes times) {
        super(times, threadLeases, engine::execute);
        this.engine = engine;
        this.locks = locks;
    }

    @Override
    public List<String> names() {
        return locks.stream().map(NamedLock::name).toList();
    }

    @Override
    HeldLeases taken(long waitNanos) {
        NamedLock own = ownedByThisThread();
        if (own != null && waitNanos == 0) {
            throw engine.busy(own.name(), Thread.currentThread());
        }
        List<HeldLease> leases = new ArrayList<>(locks.size());
        HeldLeases all = take(waitNanos, leases, ThreadWaiter.Interrupts.HONOURED);
        if (all == null) {
            throw engine.busy(locks.get(leases.size()).name(), Thread.currentThread());
        }
        return all;
    }

    @Override
    @Nullable
    HeldLeases take(long waitNanos, ThreadWaiter.Interrupts interrupts) {
        return take(waitNanos, new ArrayList<>(locks.size()), interrupts);
    }

    /** All of them; null if there was no time to wait and one is held. The list has those that were acquired before it then. */
    private @Nullable HeldLeases take(long waitNanos, List<HeldLease> leases, ThreadWaiter.Interrupts interrupts) {
        // Before anything is acquired.
        NamedLock own = ownedByThisThread();
        RuntimeException selfDeadlock = own == null ? null : own.selfDeadlock();
        if (selfDeadlock != null) {
            if (waitNanos == 0) {
                return null;
            }
            throw selfDeadlock;
        }
        long since = engine.nanos();
        try {
            for (NamedLock lock : locks) {
                HeldLease lease = lock.take(left(engine, waitNanos, since), interrupts);
                if (lease == null) {
                    HeldLeases.discard(leases).join();
                    return null;
                }
                leases.add(lease);
            }
            return HeldLeases.complete(engine, leases);
        } catch (RuntimeException | Error failure) {
            HeldLeases.discard(leases).join();
            throw failure;
        }
    }

    @Override
    <R> CompletableFuture<R> takeAsync(
            long waitNanos, Function<HeldLeases, R> acquired, Function<Supplier<RuntimeException>, R> held) {
        return new LockSetAcquisition<>(engine, locks, waitNanos, acquired, held).start();
    }

    /** The first of them that the current thread is inside of, so that it would deadlock with itself. */
    private @Nullable NamedLock ownedByThisThread() {
        for (NamedLock lock : locks) {
            if (lock.selfDeadlock() != null) {
                return lock;
            }
        }
        return null;
    }

    /** What is left for the next of them: with no time to begin with, one attempt; else never so little. */
    static long left(Engine engine, long waitNanos, long since) {
        if (waitNanos == 0 || waitNanos == RequestTimes.NO_END) {
            return waitNanos;
        }
        return Math.max(1, waitNanos - (engine.nanos() - since));
    }

    /** All of them or none: a part of them is refused as a self-deadlock when the set is acquired. */
    @Override
    @Nullable
    Reentry<LeaseSet> enterAgain() {
        ReentrySet again = new ReentrySet(new ArrayList<>(locks.size()));
        boolean complete = false;
        try {
            for (NamedLock lock : locks) {
                Reentry<Lease> entered = lock.enterAgain();
                if (entered == null) {
                    return null;
                }
                again.entered().add(entered);
            }
            complete = true;
            return again;
        } finally {
            if (!complete) {
                again.leave();
            }
        }
    }

    @Override
    void enter(HeldLeases set) {
        for (int i = 0; i < locks.size(); i++) {
            locks.get(i).enter(set.leases().get(i));
        }
    }

    @Override
    void leave(HeldLeases set) {
        List<HeldLease> left = new ArrayList<>(locks.size());
        for (int i = 0; i < locks.size(); i++) {
            HeldLease lease = set.leases().get(i);
            if (locks.get(i).isLeft(lease)) {
                left.add(lease);
            }
        }
        set.close(left);
    }
}
