package io.holdfast.internal;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.LockInfo;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** The two sides of a read/write lock. */
record NamedReadWriteLock(NamedLock reading, NamedLock writing) implements DistributedReadWriteLock {

    private record Classic(Lock readLock, Lock writeLock) implements ReadWriteLock {}

    @Override
    public String name() {
        return reading.name();
    }

    @Override
    public DistributedLock readLock() {
        return reading;
    }

    @Override
    public DistributedLock writeLock() {
        return writing;
    }

    @Override
    public ReadWriteLock asReadWriteLock() {
        return new Classic(reading.asLock(), writing.asLock());
    }

    @Override
    public LockInfo inspect() {
        return reading.inspect();
    }
}
