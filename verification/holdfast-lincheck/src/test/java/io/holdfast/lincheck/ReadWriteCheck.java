package io.holdfast.lincheck;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.LockOptions;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** A read/write lock: one writer, or readers. */
@Param(name = "which", gen = IntGen.class, conf = "0:2")
public class ReadWriteCheck extends LocalQueueCheck {

    private static final int MANY = 1_000;

    private final DistributedReadWriteLock lock = locks.readWriteLock(NAME, options(LockOptions.FOREVER));

    public ReadWriteCheck() {
        super(store -> store, MANY);
    }

    @Operation
    public void read() {
        pending(lock.readLock().acquireAsync(), 1);
    }

    @Operation
    public void write() {
        pending(lock.writeLock().acquireAsync(), MANY);
    }

    @Override
    void acquireMost() {
        read();
        write();
    }
}
