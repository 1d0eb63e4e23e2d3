package io.holdfast.internal;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The end of an engine. */
final class Shutdown {

    /*
     * A lease whose body is still running when the grace is over is marked lost and no longer renewed, but it is not
     * released: the store keeps others out until it has expired there, or until the body ends and closes it. Releasing it
     * here would let the next holder in beside a body that is still writing.
     */
    private final Engine engine;
    private final Duration grace;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private volatile boolean begun;
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

    void run() {
        mutex.lock();
        try {
            if (begun) {
                return;
            }
            begun = true;
        } finally {
            mutex.unlock();
        }
        engine.elections().forEach(Election::close);
        engine.lines().forEach(Line::dismiss);
        awaitIdle();
        for (Line line : engine.lines()) {
            Hold hold = line.find(any -> true);
            while (hold != null) {
                line.lose(hold, "the Holdfast was closed while the lease was held");
                hold = line.find(any -> true);
            }
        }
        over = true;
        engine.keeper().stop();
    }

    void signal() {
        mutex.lock();
        try {
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
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
