package io.holdfast.benchmarks.kit;

import java.util.concurrent.locks.Lock;

/** Locks that look like those of the JDK. */
public record LockGuard(Lock lock) implements Guard {

    @Override
    public void acquire() {
        lock.lock();
    }

    @Override
    public void release() {
        lock.unlock();
    }
}
