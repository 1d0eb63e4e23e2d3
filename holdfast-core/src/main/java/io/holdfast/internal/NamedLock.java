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
        ThreadHolds.Entry outer = entered();
        if (outer != null) {
            outer.lease.ensureHeld();
            return body.call(new NestedLease(outer.lease));
        }
        return super.call(body);
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
    ThreadHolds.@Nullable Entry entered() {
        ThreadHolds.Entry entry = engine.threadHolds().find(name());
        return entry != null && allows(entry.lease.hold()) ? entry : null;
    }

    @Override
    @Nullable
    RuntimeException selfBlock() {
        if (isRead()) {
            return null;
        }
        ThreadHolds.Entry entry = engine.threadHolds().find(name());
        if (entry == null || !entry.lease.hold().read) {
            return null;
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
        engine.threadHolds().enter(name(), new ThreadHolds.Entry(lease, false));
    }

    @Override
    void leaving() {
        engine.threadHolds().exit(name());
    }

    /** A writer may do what a reader may, but not the other way round. */
    private boolean allows(Hold hold) {
        return isRead() || !hold.read;
    }
}
