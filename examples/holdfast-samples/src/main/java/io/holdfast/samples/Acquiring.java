package io.holdfast.samples;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

/** The ways to take a lock. */
public final class Acquiring {

    private final DistributedLock lock;
    private final Rooms rooms;

    /** The lock, and what it guards. */
    public Acquiring(DistributedLock lock, Rooms rooms) {
        this.lock = lock;
        this.rooms = rooms;
    }

    /** Waits. */
    public void waitForIt(String guest) {
        // region wait
        try (Lease lease = lock.acquire(Duration.ofSeconds(3))) {
            rooms.reserve(lease.token(), guest);
        }
        // endregion
    }

    /** Does not wait; whether it worked. */
    public boolean tryOnce(String guest) {
        // region try
        Optional<Lease> attempt = lock.tryAcquire();
        if (attempt.isEmpty()) {
            return false;
        }
        try (Lease lease = attempt.get()) {
            rooms.reserve(lease.token(), guest);
            return true;
        }
        // endregion
    }

    /** Acquires, runs, releases; how many rooms are left. */
    public int call(String guest) {
        // region call
        return lock.call(lease -> {
            rooms.reserve(lease.token(), guest);
            return rooms.free();
        });
        // endregion
    }

    /** Runs only if nobody else does. */
    public boolean unlessBusy(Runnable nightlyJob) {
        // region try-run
        boolean ran = lock.tryRun(lease -> nightlyJob.run());
        // endregion
        return ran;
    }

    /** No thread waits. */
    public CompletableFuture<Boolean> later(String guest) {
        // region async
        return lock.acquireAsync().thenCompose(lease -> {
            try {
                rooms.reserve(lease.token(), guest);
            } catch (RuntimeException failed) {
                return lease.releaseAsync().thenCompose(ours -> CompletableFuture.failedFuture(failed));
            }
            return lease.releaseAsync();
        });
        // endregion
    }

    /** For code that expects a lock of the JDK. */
    public int classic() {
        // region classic
        Lock classic = lock.asLock();
        classic.lock();
        try {
            return rooms.free();
        } finally {
            classic.unlock();
        }
        // endregion
    }
}
