package io.holdfast.servers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** One direction, of a connection or of all of a proxy: how slow it is, and whether anything passes at all. */
final class Lane {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final LongAdder bytes = new LongAdder();
    private long delayNanos;
    private boolean stalled;

    void delay(Duration delay) {
        change(() -> delayNanos = delay.toNanos());
    }

    void stall() {
        change(() -> stalled = true);
    }

    void flow() {
        change(() -> stalled = false);
    }

    void count(int passed) {
        bytes.add(passed);
    }

    long bytes() {
        return bytes.sum();
    }

    /** Waits until what arrived at that time may pass. */
    void await(long arrivedNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = delayNanos - (System.nanoTime() - arrivedNanos);
            while (stalled || left > 0) {
                // The result is of no use: a change may have come at the same time.
                boolean ignored = changed.await(stalled ? Long.MAX_VALUE : left, TimeUnit.NANOSECONDS);
                left = delayNanos - (System.nanoTime() - arrivedNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
