package io.holdfast.lincheck;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.internal.handle.LockFactory;
import io.holdfast.internal.memory.MemoryStore;
import io.holdfast.internal.runtime.Engine;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * One lease whose end several threads bring about or watch for. It ends once; a callback for its loss runs once if it was
 * lost, and never if it was not; at most one release is told that it was in time, and then the lease was not lost.
 */
public class HeldLeaseCheck implements Check {

    private final SharedTime time = new SharedTime();
    private final Engine engine =
            new Engine(MemoryStore.open(time.environment()), time.environment(), LocalQueueCheck.SETTINGS);
    private final Lease lease = new LockFactory(engine)
            .lock(
                    LocalQueueCheck.NAME,
                    LockOptions.builder().leaseTime(LocalQueueCheck.LEASE).build())
            .acquire();
    private final CopyOnWriteArrayList<AtomicInteger> callbacks = new CopyOnWriteArrayList<>();
    private final AtomicInteger inTime = new AtomicInteger();

    @Operation
    public void onLost() {
        AtomicInteger runs = new AtomicInteger();
        lease.onLost(runs::incrementAndGet);
        callbacks.add(runs);
    }

    @Operation
    public void release() {
        if (lease.release()) {
            inTime.incrementAndGet();
        }
    }

    @Operation
    public void close() {
        try {
            lease.close();
        } catch (LeaseLostException lost) {
            if (lease.state() != LeaseState.LOST) {
                throw new IllegalStateException("close() speaks of a loss that was none", lost);
            }
        }
    }

    @Operation
    public void expire() {
        time.pass(LocalQueueCheck.OVER_FOR_THE_HOLDER);
    }

    @Validate
    public void settled() {
        settle();
    }

    @Override
    public void settle() {
        boolean lost = lease.state() == LeaseState.LOST;
        for (AtomicInteger runs : callbacks) {
            if (runs.get() != (lost ? 1 : 0)) {
                throw new IllegalStateException(lease.state() + ", and a callback ran " + runs + " times");
            }
        }
        if (inTime.get() > (lost ? 0 : 1)) {
            throw new IllegalStateException(lease.state() + ", and " + inTime + " releases were in time");
        }
    }

    @Override
    public void rehearse() {
        onLost();
        expire();
        onLost();
        release();
        close();
        settle();
    }
}
