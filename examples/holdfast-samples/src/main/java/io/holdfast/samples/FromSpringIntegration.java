package io.holdfast.samples;

// region as-lock
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
// endregion

/** What code for the lock registry of Spring Integration becomes. */
public final class FromSpringIntegration {

    private final Holdfast holdfast;
    private final Runnable work;

    /** Locks from {@code holdfast}. */
    public FromSpringIntegration(Holdfast holdfast, Runnable work) {
        this.holdfast = holdfast;
        this.work = work;
    }

    /** The first step: the same code with another lock; whether it ran. */
    public boolean asLock() throws InterruptedException {
        // region as-lock
        Lock lock = holdfast.lock("hotel:42").asLock();
        if (!lock.tryLock(3, TimeUnit.SECONDS)) {
            return false;
        }
        try {
            work.run();
            return true;
        } finally {
            lock.unlock();
        }
        // endregion
    }

    /** The second step: with a lease; whether it ran. */
    public boolean withLease(Rooms rooms) {
        // region lease
        Optional<Lease> attempt = holdfast.lock("hotel:42").tryAcquire(Duration.ofSeconds(3));
        if (attempt.isEmpty()) {
            return false;
        }
        try (Lease lease = attempt.get()) {
            rooms.reserve(lease.token(), "Ada");
            return true;
        }
        // endregion
    }

    /** Instead of {@code executeLocked}. */
    public void run() {
        // region run
        LockOptions threeSeconds =
                LockOptions.builder().maxWait(Duration.ofSeconds(3)).build();
        holdfast.lock("hotel:42", threeSeconds).run(lease -> work.run());
        // endregion
    }
}
