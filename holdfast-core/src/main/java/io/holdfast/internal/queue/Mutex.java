package io.holdfast.internal.queue;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The mutex of a local queue. A step under it takes well under a microsecond, while parking and unparking a thread takes many; so a
 * thread that finds it locked spins for a moment first. With one processor that would only keep the owner from running.
 */
final class Mutex extends ReentrantLock {

    private static final long serialVersionUID = 1L;

    private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 200 : 0;

    @Override
    public void lock() {
        for (int i = 0; i < SPINS; i++) {
            if (tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        super.lock();
    }
}
