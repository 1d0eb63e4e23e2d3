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
        if (outer == null) {
            return super.call(body);
        }
        try {
            return body.call(new NestedLease(outer.lease));
        } finally {
            leaveAgain(outer);
        }
    }

    @Override
    public <E extends Exception> boolean tryRun(LockedRun<E> body) throws E {
        if (entered() != null) {
            run(body);
            return true;
        }
        return super.tryRun(body);
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
        Hold hold = line == null ? null : line.find(held -> asker.equals(held.caller) && allows(held));
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
    private ThreadHolds.@Nullable Entry entered() {
        ThreadHolds.Entry entry = sameKind();
        return entry != null && allows(entry.lease.hold()) ? entry : null;
    }

    private ThreadHolds.@Nullable Entry sameKind() {
        ThreadHolds.Entry entry = engine.threadHolds().find(name());
        return entry != null
                        && entry.lease.hold().tenure.claim.capacity()
                                == wish.share().capacity()
                ? entry
                : null;
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
                engine.threadHolds().exit(name());
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
    RuntimeException selfBlock() {
        if (isRead()) {
            return null;
        }
        ThreadHolds.Entry entry = sameKind();
        if (entry == null || !entry.lease.hold().read) {
            return null;
        }
        if (entry.lease.state() == LeaseState.LOST) {
            return entry.lease.lost();
        }
        return new HoldfastException(
                name(),
                engine.storeName(),
                "Thread '" + Thread.currentThread().getName()
                        + "' has the read lock and asks for the write lock: it would"
                        + " wait for itself. Release the read lock first, or take the write lock from the start.",
                null);
    }

    @Override
    void entering(HeldLease lease) {
        engine.threadHolds().enter(name(), new ThreadHolds.Entry(lease));
    }

    /** A {@code lock()} inside of the body that was not unlocked there keeps the lease. */
    @Override
    boolean leaving(HeldLease lease) {
        ThreadHolds.Entry entry = engine.threadHolds().find(name());
        if (entry == null || entry.locks + entry.readLocks == 0) {
            engine.threadHolds().exit(name());
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
