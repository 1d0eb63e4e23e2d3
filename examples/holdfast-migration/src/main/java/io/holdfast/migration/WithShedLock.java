package io.holdfast.migration;

// region imports
import java.time.Duration;
import java.time.Instant;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.scheduling.annotation.Scheduled;
// endregion

/** A scheduled job under ShedLock. */
class WithShedLock {

    private final LockingTaskExecutor executor;
    private final Runnable reports;

    WithShedLock(LockingTaskExecutor executor, Runnable reports) {
        this.executor = executor;
        this.reports = reports;
    }

    // region annotation
    @Scheduled(cron = "0 0 3 * * *")
    @SchedulerLock(name = "nightly-report", lockAtMostFor = "15m", lockAtLeastFor = "30s")
    public void nightlyReport() {
        reports.run();
    }
    // endregion

    void programmatic() {
        // region programmatic
        executor.executeWithLock(
                reports,
                new LockConfiguration(Instant.now(), "nightly-report", Duration.ofMinutes(15), Duration.ofSeconds(30)));
        // endregion
    }
}
