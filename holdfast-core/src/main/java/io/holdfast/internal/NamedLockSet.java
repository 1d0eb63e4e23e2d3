package io.holdfast.internal;

import io.holdfast.LeaseSet;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Several locks, in the order of their names. */
final class NamedLockSet implements LockSet {

    /*
     * No circle: whoever waits for a name holds only smaller ones, and everybody compares names alike (code unit by code
     * unit, whatever the locale). Follow the waits from anybody: the names only grow, so the walk ends at somebody who
     * waits for none of them.
     */
    private final Engine engine;
    private final List<NamedLock> locks;
    private final Terms terms;

    /** {@code locks} are sorted by name, and different. */
    NamedLockSet(Engine engine, List<NamedLock> locks, Terms terms) {
        this.engine = engine;
        this.locks = locks;
        this.terms = terms;
    }

    @Override
    public List<String> names() {
        return locks.stream().map(NamedLock::name).toList();
    }

    @Override
    public LockOptions options() {
        return terms.options();
    }

    @Override
    public LeaseSet acquire() {
        return taken(terms.maxWait());
    }

    @Override
    public LeaseSet acquire(Duration maxWait) {
        return taken(checked(maxWait));
    }

    @Override
    public Optional<LeaseSet> tryAcquire() {
        return Optional.ofNullable(take(0));
    }

    @Override
    public Optional<LeaseSet> tryAcquire(Duration maxWait) {
        try {
            return Optional.ofNullable(take(checked(maxWait)));
        } catch (LockTimeoutException over) {
            return Optional.empty();
        }
    }

    @Override
    public CompletableFuture<LeaseSet> acquireAsync() {
        return new SetWait<>(engine, locks, terms.maxWait(), set -> set, this::busy).start();
    }

    @Override
    public CompletableFuture<LeaseSet> acquireAsync(Duration maxWait) {
        return new SetWait<>(engine, locks, checked(maxWait), set -> set, this::busy).start();
    }

    @Override
    public CompletableFuture<Optional<LeaseSet>> tryAcquireAsync() {
        return new SetWait<Optional<LeaseSet>>(engine, locks, 0, Optional::of, taken -> Optional.empty()).start();
    }

    private LeaseSet taken(long patience) {
        NamedLock own = ownedByThisThread();
        if (own != null && patience == 0) {
            throw engine.failures().busy(own.name(), Thread.currentThread());
        }
        List<HeldLease> leases = new ArrayList<>(locks.size());
        LeaseSet all = take(patience, leases);
        return all != null ? all : busy(leases.size());
    }

    private @Nullable LeaseSet take(long patience) {
        return take(patience, new ArrayList<>(locks.size()));
    }

    /** All of them; null if there was no time to wait and one is taken. What was taken before it is in the list then. */
    private @Nullable LeaseSet take(long patience, List<HeldLease> leases) {
        // Before anything is acquired.
        NamedLock own = ownedByThisThread();
        RuntimeException selfDeadlock = own == null ? null : own.selfDeadlock();
        if (selfDeadlock != null) {
            if (patience == 0) {
                return null;
            }
            throw selfDeadlock;
        }
        long since = engine.nanos();
        try {
            for (NamedLock lock : locks) {
                HeldLease lease = lock.take(left(engine, patience, since), ThreadWaiter.Interrupts.HONOURED);
                if (lease == null) {
                    HeldLeases.giveBack(leases);
                    return null;
                }
                leases.add(lease);
            }
            return complete(engine, leases);
        } catch (RuntimeException | Error failure) {
            HeldLeases.giveBack(leases);
            throw failure;
        }
    }

    /** The first of them that the current thread is inside of, so that it would wait for itself. */
    private @Nullable NamedLock ownedByThisThread() {
        for (NamedLock lock : locks) {
            if (lock.selfDeadlock() != null) {
                return lock;
            }
        }
        return null;
    }

    /** The first of them may have been lost while the last was waited for. */
    static HeldLeases complete(Engine engine, List<HeldLease> leases) {
        for (HeldLease lease : leases) {
            if (lease.state() == LeaseState.LOST) {
                throw lease.lost();
            }
        }
        return new HeldLeases(engine, List.copyOf(leases));
    }

    /** What is left for the next of them: with no time to begin with, one attempt; else never so little. */
    static long left(Engine engine, long patience, long since) {
        if (patience == 0 || patience == Terms.NO_END) {
            return patience;
        }
        return Math.max(1, patience - (engine.nanos() - since));
    }

    private LeaseSet busy(int taken) {
        throw engine.failures().busy(locks.get(taken).name(), Thread.currentThread());
    }

    private long checked(Duration maxWait) {
        return Terms.nanos(terms.options().toBuilder().maxWait(maxWait).build().maxWait());
    }
}
