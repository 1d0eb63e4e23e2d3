package io.holdfast.internal.runtime;

import io.holdfast.LeaseLostException;
import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.internal.queue.RequestTimes;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Closes an engine: no new acquisitions, an end to waits, a grace period for critical sections. */
final class Shutdown {

    /*
     * A lease whose body is still running when the grace is over is marked lost and no longer renewed, but it is not
     * released: the store keeps others out until it has expired there, or until the body ends and closes it. Releasing it
     * here would let the next holder in beside a body that is still writing.
     *
     * So the store stays open for these late releases, and for those that it has not answered yet: until the last of these leases was
     * released, or has expired in the store, or a minute has passed. What is released later than that stays locked until it expires.
     */
    private static final long LATEST = TimeUnit.MINUTES.toNanos(1);

    private final Engine engine;
    private final Duration grace;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private final AtomicReference<@Nullable Runnable> whenOver = new AtomicReference<>();
    private volatile boolean begun;
    /** How many leases were lost whose critical sections may still run. Those that are never closed count for ever. */
    private final AtomicInteger late = new AtomicInteger();

    /** When the store has ended the last of these, on the monotonic clock; meaningful if there was one. */
    private final AtomicLong lateUntil = new AtomicLong();

    private volatile boolean over;
    private final Set<AutoCloseable> participants = ConcurrentHashMap.newKeySet();

    Shutdown(Engine engine, Duration grace) {
        this.engine = engine;
        this.grace = grace;
    }

    void add(AutoCloseable participant) {
        participants.add(participant);
    }

    void remove(AutoCloseable participant) {
        participants.remove(participant);
    }

    private void close(AutoCloseable participant) {
        try {
            participant.close();
        } catch (Exception failed) {
            Engine.LOG.log(
                    System.Logger.Level.ERROR, "A bug in Holdfast: a leader election could not be closed.", failed);
        }
    }

    boolean hasBegun() {
        return begun;
    }

    boolean isOver() {
        return over;
    }

    /**
     * Returns whether critical sections still run: then {@code afterwards} is run when they have ended, or have had their time. It must
     * not block, because it may run on a thread of the store.
     */
    boolean run(Runnable afterwards) {
        mutex.lock();
        try {
            if (begun) {
                return false;
            }
            begun = true;
        } finally {
            mutex.unlock();
        }
        participants.forEach(this::close);
        engine.queues().all().forEach(LocalQueue::dismissWaiters);
        awaitIdle();
        loseAll();
        engine.renewals().stop();
        long window = releaseWindow();
        if (window <= 0) {
            over = true;
            return false;
        }
        whenOver.set(afterwards);
        engine.schedule(this::finish, window);
        finishIfIdle();
        return true;
    }

    private void loseAll() {
        for (LocalQueue queue : engine.queues().all()) {
            LeaseRecord record = queue.find(any -> true);
            while (record != null) {
                queue.lose(
                        record,
                        LeaseLostException.Reason.HOLDFAST_CLOSED,
                        "the Holdfast was closed while the lease was held");
                record = queue.find(any -> true);
            }
        }
    }

    /** For how long releases may still be sent, or have to be repeated. */
    private long releaseWindow() {
        if (engine.releases().unanswered() > 0) {
            return LATEST;
        }
        return late.get() == 0 ? 0 : Math.min(LATEST, lateUntil.get() - engine.nanos());
    }

    /** A lease was lost: until its critical section has ended, the store may keep the claim for {@code life}. */
    void leaseLost(long life) {
        long until = engine.nanos() + life;
        long before = late.getAndIncrement();
        lateUntil.accumulateAndGet(until, (one, other) -> before == 0 || other - one > 0 ? other : one);
    }

    /** The critical section of a lost lease has ended, and its release was sent if it has one. */
    void lostLeaseClosed() {
        late.decrementAndGet();
        if (begun) {
            signal();
        }
    }

    /** The late leases have ended, or have had their time. */
    private void finish() {
        Runnable afterwards = whenOver.getAndSet(null);
        if (afterwards != null) {
            over = true;
            afterwards.run();
        }
    }

    private void finishIfIdle() {
        if (whenOver.get() != null && late.get() <= 0 && engine.releases().unanswered() == 0) {
            finish();
        }
    }

    /** A lease or a queue has ended. */
    void leaseEnded() {
        if (begun) {
            signal();
        }
    }

    void signal() {
        mutex.lock();
        try {
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
        finishIfIdle();
    }

    /** An interrupted thread waits no less: the bodies inside have done nothing wrong. */
    private void awaitIdle() {
        boolean interrupted = false;
        mutex.lock();
        try {
            long left = RequestTimes.nanos(grace);
            while (left > 0 && !idle()) {
                try {
                    left = changed.awaitNanos(left);
                } catch (InterruptedException impatient) {
                    interrupted = true;
                }
            }
        } finally {
            mutex.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean idle() {
        return engine.queues().all().isEmpty() && engine.releases().unanswered() == 0;
    }
}
