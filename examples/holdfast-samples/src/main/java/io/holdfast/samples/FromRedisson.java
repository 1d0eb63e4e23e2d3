package io.holdfast.samples;

// region watchdog
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Optional;
// endregion

/** What code for Redisson becomes. */
public final class FromRedisson {

    private final Holdfast holdfast;
    private final Runnable work;

    /** Locks from {@code holdfast}. */
    public FromRedisson(Holdfast holdfast, Runnable work) {
        this.holdfast = holdfast;
        this.work = work;
    }

    /** Opened once, when the application starts. */
    public static Holdfast open() {
        // region open
        Holdfast holdfast = Holdfast.builder("redis://localhost:6379")
                .label("orders") // shown to others who wait
                .build();
        // endregion
        return holdfast;
    }

    /** Renewed while it is held. */
    public void watchdog() {
        // region watchdog
        holdfast.lock("hotel:42").run(lease -> work.run()); // 10 s, renewed every 3.3 s
        // endregion
    }

    /** Waits 3 s, and holds for 10 s at most; whether it ran. */
    public boolean fixedLease() {
        // region fixed-lease
        LockOptions tenSeconds = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(10))
                .renewal(LockOptions.Renewal.OFF)
                .build();

        Optional<Lease> attempt = holdfast.lock("hotel:42", tenSeconds).tryAcquire(Duration.ofSeconds(3));
        if (attempt.isEmpty()) {
            return false;
        }
        try (Lease lease = attempt.get()) {
            work.run();
            lease.ensureHeld(); // throws LeaseLostException if the 10 s are over
            return true;
        }
        // endregion
    }

    /** With a fencing token. */
    public void fenced(Rooms rooms) {
        // region fenced
        holdfast.lock("hotel:42").run(lease -> rooms.reserve(lease.token(), "Ada"));
        // endregion
    }

    /** As a reader. */
    public void readWrite() {
        // region read-write
        DistributedReadWriteLock prices = holdfast.readWriteLock("prices");
        prices.readLock().run(lease -> work.run());
        // endregion
    }

    /** With a permit, which is renewed. */
    public void permits() {
        // region permits
        DistributedSemaphore printers = holdfast.semaphore("printers", 3);
        printers.run(lease -> work.run());
        // endregion
    }

    /** Two locks or none. */
    public void several() {
        // region several
        try (LeaseSet both = holdfast.lockSet("account:1", "account:2").acquire()) {
            work.run();
            both.ensureHeld();
        }
        // endregion
    }
}
