package io.holdfast.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The end of an engine. */
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
    /** How many leases were lost whose critical sections may go on. Those that are never closed count for ever. */
    private final AtomicInteger late = new AtomicInteger();

    /** When the store has ended the last of these, on the monotonic clock; meaningful if there was one. */
    private final AtomicLong lateUntil = new AtomicLong();

    private volatile boolean over;

    Shutdown(Engine engine, Duration grace) {
        this.engine = engine;
        this.grace = grace;
    }

    boolean hasBegun() {
        return begun;
    }

    boolean isOver() {
        return over;
    }

    /**
     * Returns whether critical sections go on: then {@code afterwards} is run when they have ended, or have had their time. It must
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
        engine.elections().forEach(Election::close);
        engine.lines().forEach(Line::dismiss);
        awaitIdle();
        loseAll();
        engine.keeper().stop();
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
        for (Line line : engine.lines()) {
            Hold hold = line.find(any -> true);
            while (hold != null) {
                line.lose(hold, "the Holdfast was closed while the lease was held");
                hold = line.find(any -> true);
            }
        }
    }

    /** For how long releases may still be sent, or have to be repeated. */
    private long releaseWindow() {
        if (engine.releaser().unanswered() > 0) {
            return LATEST;
        }
        return late.get() == 0 ? 0 : Math.min(LATEST, lateUntil.get() - engine.nanos());
    }

    /** A lease was lost: until its critical section has ended, the store may keep the claim for {@code life}. */
    void late(long life) {
        long until = engine.nanos() + life;
        long before = late.getAndIncrement();
        lateUntil.accumulateAndGet(until, (one, other) -> before == 0 || other - one > 0 ? other : one);
    }

    /** The critical section of a lost lease has ended, and its release was sent if it has one. */
    void lateEnd() {
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
        if (whenOver.get() != null && late.get() <= 0 && engine.releaser().unanswered() == 0) {
            finish();
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
            long left = Terms.nanos(grace);
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
        return engine.lines().isEmpty() && engine.releaser().unanswered() == 0;
    }
}
