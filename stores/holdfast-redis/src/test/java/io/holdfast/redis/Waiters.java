package io.holdfast.redis;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.testkit.Eventually;
import java.util.concurrent.CompletableFuture;

/** Claims that wait, and surely do. */
final class Waiters {

    private Waiters() {}

    /** Begins to wait for a lock that is held, and returns when the server has the claim in its queue. */
    static CompletableFuture<Lease> queue(DistributedLock lock) {
        int before = lock.inspect().waiters();
        CompletableFuture<Lease> waiter = lock.acquireAsync(Eventually.LIMIT);
        Eventually.holds("it waits", () -> lock.inspect().waiters() > before);
        return waiter;
    }
}
