package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockedCall;
import io.holdfast.LockedRun;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A lock that the thread inside of it may enter again: an exclusive one, or one side of a read/write lock. */
final class NamedLock extends Acquirer implements DistributedLock {

    NamedLock(Engine engine, Wish wish) {
        super(engine, wish);
    }

    boolean isRead() {
        return wish.share().isRead();
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(LockedCall<T, E> body) throws E {
        ThreadHolds.Entry outer = enterAgain();
        return outer == null ? super.call(body) : inside(outer, body);
    }

    @Override
    public <E extends Exception> boolean tryRun(LockedRun<E> body) throws E {
        ThreadHolds.Entry outer = entered();
        if (outer == null) {
            return super.tryRun(body);
        }
        if (!tryEnterAgain(outer)) {
            return false;
        }
        inside(outer, asCall(body));
        return true;
    }

    private <T extends @Nullable Object, E extends Exception> T inside(ThreadHolds.Entry outer, LockedCall<T, E> body)
            throws E {
        try {
            return body.call(new NestedLease(outer.lease));
        } finally {
            leaveAgain(outer);
        }
    }

    @Override
    public Lock asLock() {
        return new ThreadOwnedLock(engine, this);
    }

    @Override
    public Lease requireHeld() {
        ThreadHolds.Entry entry = entered();
        if (entry != null) {
            entry.lease.ensureHeld();
            return new NestedLease(entry.lease);
        }
        Thread asker = Thread.currentThread();
        Line line = engine.line(name());
        Hold hold =
                line == null ? null : line.find(held -> asker.equals(held.caller) && isSameKind(held) && allows(held));
        if (hold != null) {
            HeldLease lease = hold.get();
            if (lease != null && lease.state() != LeaseState.RELEASED) {
                lease.ensureHeld();
                return new NestedLease(lease);
            }
        }
        throw new IllegalMonitorStateException(
                "'" + name() + "' must be held by this thread here, and is not. Call this"
                        + " inside run(), call() or after acquire() on the same thread; elsewhere pass the Lease along and use"
                        + " its ensureHeld().");
    }

    /** What the current thread is inside of, if that lets it in here too. */
    ThreadHolds.@Nullable Entry entered() {
        ThreadHolds.Entry entry = sameKind();
        return entry != null && allows(entry.lease.hold()) ? entry : null;
    }

    /** What the current thread is inside of. A lease that it has released since does not count: the body goes on without one. */
    private ThreadHolds.@Nullable Entry sameKind() {
        ThreadHolds.Entry entry = engine.threadHolds().find(name());
        return entry != null && !entry.lease.hold().isClosed() && isSameKind(entry.lease.hold()) ? entry : null;
    }

    /** A permit of a semaphore is neither a lock nor a side of one. */
    private boolean isSameKind(Hold hold) {
        return hold.tenure.claim.capacity() == wish.share().capacity();
    }

    /** Enters once more what the current thread is inside of; null if it is not. */
    ThreadHolds.@Nullable Entry enterAgain() {
        ThreadHolds.Entry entry = entered();
        if (entry != null) {
            entry.lease.ensureHeld();
            count(entry, 1);
        }
        return entry;
    }

    /** As {@link #enterAgain()}, for what {@link #entered()} has found: no if it was lost. */
    boolean tryEnterAgain(ThreadHolds.Entry entry) {
        boolean held = entry.lease.isHeld();
        if (held) {
            count(entry, 1);
        }
        return held;
    }

    /** Makes {@code lease} the current thread's own, until it has left as often as it entered. */
    void own(HeldLease lease) {
        lease.hold().owner = Thread.currentThread();
        ThreadHolds.Entry entry = new ThreadHolds.Entry(lease);
        entry.byLock = true;
        count(entry, 1);
        engine.threadHolds().enter(name(), entry);
    }

    /** How often the current thread has entered this side and not left it. */
    int entries(ThreadHolds.Entry entry) {
        return isRead() ? entry.readLocks : entry.locks;
    }

    /** Leaves once. Who leaves last gives the lease back; a writer that leaves a reader behind becomes one. */
    void leaveAgain(ThreadHolds.Entry entry) {
        count(entry, -1);
        if (entry.byLock && entry.locks == 0) {
            if (entry.readLocks == 0) {
                engine.threadHolds().exit(name(), entry);
                entry.lease.close();
            } else {
                becomeReader(entry.lease);
            }
        }
    }

    private void count(ThreadHolds.Entry entry, int change) {
        if (isRead()) {
            entry.readLocks += change;
        } else {
            entry.locks += change;
        }
    }

    private static void becomeReader(HeldLease lease) {
        if (!lease.hold().read) {
            lease.hold().line.downgrade(lease.hold());
        }
    }

    @Override
    @Nullable
    RuntimeException selfDeadlock() {
        ThreadHolds.Entry entry = sameKind();
        if (entry == null) {
            return null;
        }
        RuntimeException upgrade = upgradeOf(entry);
        if (upgrade != null) {
            return upgrade;
        }
        if ((isRead() && entry.lease.hold().read) || !entry.lease.isHeld()) {
            return null;
        }
        return selfDeadlock(
                "is inside run(), call() or asLock() of this lock and waits for another lease of it. acquire()"
                        + " and lockAll() are not re-entrant. Use run(), call() or asLock() again, or requireHeld() for the"
                        + " present lease");
    }

    @Override
    @Nullable
    RuntimeException upgrade() {
        ThreadHolds.Entry entry = isRead() ? null : sameKind();
        return entry == null ? null : upgradeOf(entry);
    }

    private @Nullable RuntimeException upgradeOf(ThreadHolds.Entry entry) {
        if (isRead() || !entry.lease.hold().read) {
            return null;
        }
        return entry.lease.state() == LeaseState.LOST
                ? entry.lease.lost()
                : selfDeadlock(
                        "holds the read lock and waits for the write lock. Release the read lock first, or acquire"
                                + " the write lock from the start");
    }

    private RuntimeException selfDeadlock(String why) {
        return new HoldfastException(
                name(),
                engine.storeName(),
                "Self-deadlock: thread '" + Thread.currentThread().getName() + "' " + why + ".",
                null);
    }

    @Override
    void entering(HeldLease lease) {
        engine.threadHolds().enter(name(), new ThreadHolds.Entry(lease));
    }

    /** A {@code lock()} inside of the body that was not unlocked there keeps the lease. */
    @Override
    boolean leaving(HeldLease lease) {
        ThreadHolds.Entry entry = engine.threadHolds().find(name(), lease);
        if (entry == null) {
            return true;
        }
        if (entry.locks + entry.readLocks == 0) {
            engine.threadHolds().exit(name(), entry);
            return true;
        }
        entry.byLock = true;
        lease.hold().owner = Thread.currentThread();
        if (entry.locks == 0) {
            becomeReader(lease);
        }
        return false;
    }

    /** A writer may do what a reader may, but not the other way round. */
    private boolean allows(Hold hold) {
        return isRead() || !hold.read;
    }
}
