package io.holdfast.samples;

// region job
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import java.time.Duration;
// endregion

/** What a scheduled job under ShedLock becomes. */
public final class FromShedLock {

    private final DistributedLock lock;
    private final Runnable reports;

    /** A job under a lock from {@code holdfast}. */
    public FromShedLock(Holdfast holdfast, Runnable reports) {
        // region job
        LockOptions nightly = LockOptions.builder()
                .leaseTime(Duration.ofMinutes(
                        1)) // a server that dies blocks the job for so long; renewed while the job runs
                .maxHold(Duration.ofMinutes(15)) // lockAtMostFor: renewal ends here
                .holdAtLeast(Duration.ofSeconds(30)) // lockAtLeastFor
                .build();
        lock = holdfast.lock("nightly-report", nightly);
        // endregion
        this.reports = reports;
    }

    // region job
    /** Called by the scheduler of every server, for example by {@code @Scheduled(cron = "0 0 3 * * *")}. */
    public void nightlyReport() {
        lock.tryRun(lease -> reports.run());
    }
    // endregion
}
