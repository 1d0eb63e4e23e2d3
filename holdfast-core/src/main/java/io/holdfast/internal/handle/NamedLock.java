package io.holdfast.internal.handle;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.runtime.Engine;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A lock that the thread inside of it may enter again: an exclusive one, or one side of a read/write lock. */
final class NamedLock extends NamedAcquirer implements DistributedLock {

    NamedLock(Engine engine, ThreadLeases threadLeases, LockRequest request) {
        super(engine, threadLeases, request);
    }

    /** A re-entrant call: the entry is left when its body has ended. */
    private record EnteredAgain(NamedLock lock, ThreadLeases.Entry entry) implements Reentry<Lease> {

        @Override
        public Lease view() {
            return new NestedLease(entry.lease);
        }

        @Override
        public void leave() {
            lock.leaveAgain(entry);
        }
    }

    boolean isRead() {
        return request.units().isRead();
    }

    @Override
    public Lock asLock() {
        return new ThreadOwnedLock(this);
    }

    @Override
    public Lease requireHeld() {
        ThreadLeases.Entry entry = entered();
        if (entry != null) {
            entry.lease.ensureHeld();
            return new NestedLease(entry.lease);
        }
        HeldLease lease = acquiredByThisThread();
        if (lease != null && lease.state() != LeaseState.RELEASED) {
            lease.ensureHeld();
            return new NestedLease(lease);
        }
        throw new IllegalMonitorStateException(
                "'" + name() + "' must be held by this thread here, and is not. Call this"
                        + " inside run(), call() or after acquire() on the same thread; elsewhere pass the Lease along and use"
                        + " its ensureHeld().");
    }

    @Override
    public boolean isHeldByCurrentThread() {
        ThreadLeases.Entry entry = entered();
        HeldLease lease = entry != null ? entry.lease : acquiredByThisThread();
        return lease != null && lease.isHeld();
    }

    @Override
    public boolean covers(Lease lease) {
        HeldLease its =
                lease instanceof NestedLease nested ? nested.outer() : lease instanceof HeldLease own ? own : null;
        return its != null
                && its.engine() == engine
                && its.name().equals(name())
                && isSameKind(its.record())
                && allows(its.record());
    }

    @Override
    public boolean isLocked() {
        return !inspect().isFree();
    }

    /** By one of the {@code acquire} methods. */
    private @Nullable HeldLease acquiredByThisThread() {
        Thread caller = Thread.currentThread();
        LocalQueue queue = engine.queue(name());
        LeaseRecord record = queue == null
                ? null
                : queue.find(each -> caller.equals(each.caller()) && isSameKind(each) && allows(each));
        return record == null ? null : (HeldLease) record.get();
    }

    /** What the current thread is inside of, if that allows to enter here too. */
    ThreadLeases.@Nullable Entry entered() {
        ThreadLeases.Entry entry = sameKind();
        return entry != null && allows(entry.lease.record()) ? entry : null;
    }

    /** What the current thread is inside of. A lease that it has released since does not count: the body runs on without one. */
    private ThreadLeases.@Nullable Entry sameKind() {
        ThreadLeases.Entry entry = threadLeases.find(name());
        return entry != null && !entry.lease.record().isClosed() && isSameKind(entry.lease.record()) ? entry : null;
    }

    /** A permit of a semaphore is neither a lock nor a side of one. */
    private boolean isSameKind(LeaseRecord record) {
        return record.capacity() == request.units().capacity();
    }

    /** A writer may do what a reader may, but not the other way round. */
    private boolean allows(LeaseRecord record) {
        return isRead() || !record.isRead();
    }

    @Override
    @Nullable
    Reentry<Lease> enterAgain() {
        ThreadLeases.Entry entry = enterAgainOrNot();
        return entry == null ? null : new EnteredAgain(this, entry);
    }

    /** Enters again what the current thread holds; null if it does not. Another thread may release the lease at any time. */
    ThreadLeases.@Nullable Entry enterAgainOrNot() {
        ThreadLeases.Entry entry = entered();
        if (entry == null) {
            return null;
        }
        LeaseState state = entry.lease.state();
        if (state == LeaseState.LOST) {
            throw entry.lease.lost();
        }
        if (state == LeaseState.RELEASED) {
            return null;
        }
        count(entry, 1);
        return entry;
    }

    /** Enters again what {@link #entered()} has found; false if it was lost. */
    boolean tryEnterAgain(ThreadLeases.Entry entry) {
        boolean held = entry.lease.isHeld();
        if (held) {
            count(entry, 1);
        }
        return held;
    }

    /** Makes {@code lease} the current thread's own, until it has left as often as it entered. */
    void own(HeldLease lease) {
        lease.record().ownedBy(Thread.currentThread());
        ThreadLeases.Entry entry = new ThreadLeases.Entry(lease);
        entry.byLock = true;
        count(entry, 1);
        threadLeases.enter(name(), entry);
    }

    /** How often the current thread has entered this side and not left it. */
    int entries(ThreadLeases.Entry entry) {
        return isRead() ? entry.readLocks : entry.locks;
    }

    /** Leaves once. Who leaves last releases the lease; a writer that leaves a reader behind becomes one. */
    void leaveAgain(ThreadLeases.Entry entry) {
        count(entry, -1);
        if (entry.byLock && entry.locks == 0) {
            if (entry.readLocks == 0) {
                threadLeases.exit(name(), entry);
                entry.lease.close();
            } else {
                becomeReader(entry.lease);
            }
        }
    }

    private void count(ThreadLeases.Entry entry, int change) {
        if (isRead()) {
            entry.readLocks += change;
        } else {
            entry.locks += change;
        }
    }

    private static void becomeReader(HeldLease lease) {
        if (!lease.record().isRead()) {
            lease.record().queue().downgrade(lease.record());
        }
    }

    @Override
    @Nullable
    RuntimeException selfDeadlock() {
        ThreadLeases.Entry entry = sameKind();
        if (entry == null) {
            return null;
        }
        RuntimeException upgrade = upgradeOf(entry);
        if (upgrade != null) {
            return upgrade;
        }
        if ((isRead() && entry.lease.record().isRead()) || !entry.lease.isHeld()) {
            return null;
        }
        return engine.exceptions()
                .selfDeadlock(
                        name(),
                        "is inside run(), call() or asLock() of this lock and waits for another lease of it. acquire()"
                                + " is not re-entrant, and a lock set only if the thread holds all of its locks. Use"
                                + " run(), call() or asLock() again, or requireHeld() for the present lease");
    }

    @Override
    @Nullable
    RuntimeException upgrade() {
        ThreadLeases.Entry entry = isRead() ? null : sameKind();
        return entry == null ? null : upgradeOf(entry);
    }

    private @Nullable RuntimeException upgradeOf(ThreadLeases.Entry entry) {
        if (isRead() || !entry.lease.record().isRead()) {
            return null;
        }
        return entry.lease.state() == LeaseState.LOST
                ? entry.lease.lost()
                : engine.exceptions()
                        .selfDeadlock(
                                name(),
                                "holds the read lock and waits for the write lock. Release the read lock first, or acquire"
                                        + " the write lock from the start");
    }

    @Override
    void enter(HeldLease lease) {
        threadLeases.enter(name(), new ThreadLeases.Entry(lease));
    }

    @Override
    void leave(HeldLease lease) {
        if (isLeft(lease)) {
            lease.close();
        }
    }

    /** The body has ended. A {@code lock()} inside of it that was not unlocked there keeps the lease. */
    boolean isLeft(HeldLease lease) {
        ThreadLeases.Entry entry = threadLeases.find(name(), lease);
        if (entry == null) {
            return true;
        }
        if (entry.locks + entry.readLocks == 0) {
            threadLeases.exit(name(), entry);
            return true;
        }
        entry.byLock = true;
        lease.record().ownedBy(Thread.currentThread());
        if (entry.locks == 0) {
            becomeReader(lease);
        }
        return false;
    }
}
