package io.holdfast.internal.handle;

import io.holdfast.LockInterruptedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.RequestTimes;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A {@link NamedLock} as a {@code java.util.concurrent.locks.Lock}: the thread owns it, and may enter again. */
final class ThreadOwnedLock implements Lock {

    private final NamedLock lock;

    ThreadOwnedLock(NamedLock lock) {
        this.lock = lock;
    }

    @Override
    public void lock() {
        if (!enterAgain()) {
            own(lock.take(RequestTimes.NO_END, ThreadWaiter.Interrupts.DEFERRED));
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        throwIfInterrupted();
        if (!enterAgain()) {
            own(takeInterruptibly(RequestTimes.NO_END));
        }
    }

    @Override
    public boolean tryLock() {
        ThreadLeases.Entry entered = lock.entered();
        return entered != null ? lock.tryEnterAgain(entered) : own(lock.take(0, ThreadWaiter.Interrupts.DEFERRED));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        throwIfInterrupted();
        ThreadLeases.Entry entered = lock.entered();
        if (entered != null) {
            return lock.tryEnterAgain(entered);
        }
        try {
            return own(takeInterruptibly(Math.max(0, unit.toNanos(time))));
        } catch (LockTimeoutException over) {
            return false;
        }
    }

    @Override
    public void unlock() {
        ThreadLeases.Entry entry = lock.threadLeases.find(lock.name());
        while (entry != null && lock.entries(entry) == 0 && entry.outer != null) {
            // Locked before an early release, inside of which the lock was acquired again.
            entry = entry.outer;
        }
        if (entry == null || lock.entries(entry) == 0) {
            throw new IllegalMonitorStateException(
                    "Thread '" + Thread.currentThread().getName() + "' cannot unlock '" + lock.name() + "': "
                            + whyNot(entry)
                            + ". unlock() belongs in the finally of the lock() that it ends.");
        }
        lock.leaveAgain(entry);
    }

    /** Not supported: a waiting thread would have to release its lease and acquire another token. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "A distributed lock has no conditions. Release the lock and wait for the"
                        + " change where the data is, or use a lock of java.util.concurrent inside one JVM.");
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private boolean enterAgain() {
        return lock.enterAgainOrNot() != null;
    }

    private boolean own(@Nullable HeldLease lease) {
        if (lease != null) {
            lock.own(lease);
        }
        return lease != null;
    }

    private @Nullable HeldLease takeInterruptibly(long waitNanos) throws InterruptedException {
        try {
            return lock.take(waitNanos, ThreadWaiter.Interrupts.HONOURED);
        } catch (LockInterruptedException interrupted) {
            Thread.interrupted();
            InterruptedException checked = new InterruptedException(interrupted.getMessage());
            checked.initCause(interrupted);
            throw checked;
        }
    }

    private String whyNot(ThreadLeases.@Nullable Entry entry) {
        if (entry == null) {
            return ownerOrFree();
        }
        if (entry.byLock) {
            return "it owns the " + (lock.isRead() ? "write" : "read") + " side only";
        }
        return "it was acquired by call() or run(), which release it";
    }

    private String ownerOrFree() {
        LocalQueue queue = lock.engine.queue(lock.name());
        LeaseRecord record = queue == null ? null : queue.find(any -> true);
        if (record == null) {
            return "it does not hold it";
        }
        Thread owner = record.owner();
        return "it is owned by "
                + (owner == null ? "a lease (token " + record.token() + ")" : "thread '" + owner.getName() + "'");
    }
}
