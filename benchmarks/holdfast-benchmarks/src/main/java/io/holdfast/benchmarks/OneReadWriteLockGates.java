package io.holdfast.benchmarks;

import java.util.concurrent.locks.ReadWriteLock;

/** One read/write lock for everything, without a map. */
record OneReadWriteLockGates(ReadWriteLock lock) implements Gates {

    @Override
    public Gate gate(String name) {
        return new OneLockGates(lock.writeLock()).gate(name);
    }

    @Override
    public Gate lookingGate(String name) {
        return new OneLockGates(lock.readLock()).gate(name);
    }
}
