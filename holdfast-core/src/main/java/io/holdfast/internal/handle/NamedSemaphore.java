package io.holdfast.internal.handle;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.internal.queue.LockRequest;
import io.holdfast.internal.queue.Units;
import io.holdfast.internal.runtime.Engine;
import org.jspecify.annotations.Nullable;

/** Permits under a name. */
final class NamedSemaphore extends NamedAcquirer implements DistributedSemaphore {

    NamedSemaphore(Engine engine, ThreadLeases threadLeases, LockRequest request) {
        super(engine, threadLeases, request);
    }

    @Override
    public int permits() {
        return request.units().capacity();
    }

    @Override
    public DistributedSemaphore withPermits(int permits) {
        if (permits < 1 || permits > permits()) {
            throw new IllegalArgumentException("A lease of the semaphore '" + name() + "' has between 1 and "
                    + permits() + " permits: " + permits);
        }
        LockRequest more = new LockRequest(name(), new Units(permits, permits()), request.times(), request.owner());
        return new NamedSemaphore(engine, threadLeases, more);
    }

    /** Not re-entrant: a call inside of a call acquires further permits. */
    @Override
    @Nullable
    Reentry<Lease> enterAgain() {
        return null;
    }

    @Override
    void enter(HeldLease lease) {}

    @Override
    void leave(HeldLease lease) {
        lease.close();
    }
}
