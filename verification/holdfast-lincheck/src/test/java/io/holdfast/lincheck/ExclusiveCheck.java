package io.holdfast.lincheck;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.memory.MemoryStore;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.function.Function;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** An exclusive lock. Tokens grow: a lease is never HELD when a larger one is out. */
@Param(name = "which", gen = IntGen.class, conf = "0:1")
public class ExclusiveCheck extends LocalQueueCheck {

    private final DistributedLock lock;

    public ExclusiveCheck() {
        this(store -> store, LockOptions.FOREVER);
    }

    ExclusiveCheck(Function<MemoryStore, LockStore> access, Duration maxWait) {
        super(access, 1);
        lock = locks.lock(NAME, options(maxWait));
    }

    @Operation
    public void acquire() {
        pending(lock.acquireAsync(), 1);
    }

    @Override
    boolean isOutdated(Lease held, Lease granted) {
        return !held.equals(granted) && held.token() <= granted.token();
    }

    @Override
    void acquireMost() {
        acquire();
    }
}
