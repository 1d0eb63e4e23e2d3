package io.holdfast.internal;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Guards a line. What is done under it takes well under a microsecond, and to put a thread to sleep and wake it takes many;
 * so whoever finds it taken looks again a few times first. With one processor that would only keep the other from running.
 */
final class Mutex extends ReentrantLock {

    private static final long serialVersionUID = 1L;

    private static final int LOOKS = Runtime.getRuntime().availableProcessors() > 1 ? 200 : 0;

    @Override
    public void lock() {
        for (int i = 0; i < LOOKS; i++) {
            if (tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        super.lock();
    }
}
