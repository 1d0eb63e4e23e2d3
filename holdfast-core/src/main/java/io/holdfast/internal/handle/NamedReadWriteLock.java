package io.holdfast.internal.handle;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.monitoring.LockInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** The two sides of a read/write lock. */
record NamedReadWriteLock(NamedLock reading, NamedLock writing) implements DistributedReadWriteLock {

    private record ThreadOwned(Lock readLock, Lock writeLock) implements ReadWriteLock {}

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
        return new ThreadOwned(reading.asLock(), writing.asLock());
    }

    @Override
    public LockInfo inspect() {
        return reading.inspect();
    }

    @Override
    public CompletableFuture<LockInfo> inspectAsync() {
        return reading.inspectAsync();
    }
}
