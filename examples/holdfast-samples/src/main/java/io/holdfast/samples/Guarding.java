package io.holdfast.samples;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** What a holder does about a lease that may be lost. */
public final class Guarding {

    private final DistributedLock lock;
    private final Rooms rooms;

    /** The lock, and what it guards. */
    public Guarding(DistributedLock lock, Rooms rooms) {
        this.lock = lock;
        this.rooms = rooms;
    }

    /** Looks at the lease before every step. */
    public void stepByStep(List<String> guests) {
        // region ensure-held
        lock.run(lease -> {
            for (String guest : guests) {
                lease.ensureHeld();
                rooms.reserve(lease.token(), guest);
            }
        });
        // endregion
    }

    /** Is told. */
    public void untilLost(Runnable step) {
        // region on-lost
        try (Lease lease = lock.acquire()) {
            AtomicBoolean stop = new AtomicBoolean();
            lease.onLost(() -> stop.set(true));
            while (!stop.get()) {
                step.run();
            }
        }
        // endregion
    }

    /** Is interrupted when the time is over. */
    public static void bounded(Holdfast holdfast, InterruptibleJob job) throws InterruptedException {
        // region bounded
        LockOptions atMostOneSecond = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(1))
                .renewal(LockOptions.Renewal.OFF)
                .onLoss(LockOptions.OnLoss.INTERRUPT)
                .build();

        holdfast.lock("report", atMostOneSecond).run(lease -> job.run());
        // endregion
    }

    // region require-held
    /** Only to be called by a thread that has the lock. */
    public void reserve(String guest) {
        Lease lease = lock.requireHeld();
        rooms.reserve(lease.token(), guest);
    }
    // endregion

    /** A job that stops when it is interrupted. */
    @FunctionalInterface
    public interface InterruptibleJob {
        /** Runs. */
        void run() throws InterruptedException;
    }
}
