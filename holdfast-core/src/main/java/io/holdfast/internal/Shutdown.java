package io.holdfast.internal;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
     * So the store stays open for these late releases: until the last of these leases was released, or has expired in the store,
     * or a minute has passed. What is released later than that stays locked until it expires.
     */
    private static final long LATEST = TimeUnit.MINUTES.toNanos(1);

    private final Engine engine;
    private final Duration grace;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private final AtomicReference<@Nullable Runnable> whenOver = new AtomicReference<>();
    private volatile boolean begun;
    /** Those that were lost at the end of the grace, and are not released yet. */
    private final Set<Hold> late = ConcurrentHashMap.newKeySet();

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
        long longestTerm = loseAll();
        engine.keeper().stop();
        if (longestTerm <= 0) {
            over = true;
            return false;
        }
        whenOver.set(afterwards);
        engine.schedule(this::finish, Math.min(LATEST, longestTerm));
        finishIfIdle();
        return true;
    }

    /** Returns how long the store keeps the last of them; zero if there was none. */
    private long loseAll() {
        long longestTerm = 0;
        for (Line line : engine.lines()) {
            Hold hold = line.find(any -> true);
            while (hold != null) {
                late.add(hold);
                if (line.lose(hold, "the Holdfast was closed while the lease was held")) {
                    Term term = hold.tenure.term();
                    long left = term.left(engine.now()) + 2 * Term.margin(term.nanos());
                    longestTerm = Math.max(longestTerm, left);
                } else {
                    late.remove(hold);
                }
                hold = line.find(any -> true);
            }
        }
        return longestTerm;
    }

    /** The critical section of a lost lease has ended, and its release was sent if it has one. */
    void lateEnd(Hold hold) {
        late.remove(hold);
        signal();
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
        if (whenOver.get() != null && late.isEmpty() && engine.releaser().unanswered() == 0) {
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
