package io.holdfast.lincheck;

import io.holdfast.DistributedSemaphore;
import io.holdfast.LockOptions;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** A semaphore with two permits, of which one or both are taken at a time. */
@Param(name = "which", gen = IntGen.class, conf = "0:2")
public class SemaphoreCheck extends LocalQueueCheck {

    private static final int PERMITS = 2;

    private final DistributedSemaphore semaphore = locks.semaphore(NAME, PERMITS, options(LockOptions.FOREVER));

    public SemaphoreCheck() {
        super(store -> store, PERMITS);
    }

    @Operation
    public void takeOne() {
        pending(semaphore.acquireAsync(), 1);
    }

    @Operation
    public void takeBoth() {
        pending(semaphore.withPermits(PERMITS).acquireAsync(), PERMITS);
    }

    @Override
    void acquireMost() {
        takeOne();
        takeBoth();
    }
}
