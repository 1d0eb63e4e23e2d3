package io.holdfast.samples;

// region setup
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.jdbc.JdbcStore;
import java.time.Duration;
import javax.sql.DataSource;
// endregion

/** A job that one of many servers runs per tick. */
public final class ScheduledJob {

    private static final System.Logger LOG = System.getLogger(ScheduledJob.class.getName());

    private final DistributedLock lock;
    private final Report report;

    /** A job under a lock from {@code holdfast}. */
    public ScheduledJob(Holdfast holdfast, Report report) {
        // region options
        LockOptions oncePerTick = LockOptions.builder()
                .leaseTime(Duration.ofMinutes(1)) // a server that dies blocks the job for so long
                .holdAtLeast(Duration.ofSeconds(30)) // longer than clock skew plus scheduling jitter, at most leaseTime
                .maxHold(Duration.ofMinutes(4)) // shorter than the time between two ticks
                .onLoss(LockOptions.OnLoss.INTERRUPT)
                .label("report")
                .build();
        lock = holdfast.lock("job:report", oncePerTick);
        // endregion
        this.report = report;
    }

    /** The pool of the application. */
    public static HikariDataSource pool(String url) {
        // region setup
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url); // jdbc:postgresql://db.example/orders?user=orders&password=…
        config.setMaximumPoolSize(10); // Holdfast keeps 3 of them
        config.setInitializationFailTimeout(-1); // else the constructor throws while the database is down
        HikariDataSource pool = new HikariDataSource(config);
        // endregion
        return pool;
    }

    /** Opened once, when the application starts. */
    public static Holdfast open(DataSource pool) {
        // region setup
        Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(pool).createTables())
                .label("orders")
                .build();
        // endregion
        return holdfast;
    }

    // region tick
    /** Called by the scheduler of every server at each tick, for example by the cron expression {@code 0 0/5 * * * *}. */
    public void tick() throws InterruptedException {
        try {
            boolean ran = lock.tryRun(lease -> report.write(lease.token()));
            LOG.log(System.Logger.Level.DEBUG, ran ? "Report written." : "Another server runs this tick.");
        } catch (StoreUnavailableException unknown) {
            LOG.log(System.Logger.Level.WARNING, "Tick skipped: the database did not answer.", unknown);
        }
    }
    // endregion

    /** What the job does. */
    @FunctionalInterface
    public interface Report {
        /** Writes the report, unless a later holder has written; stops when it is interrupted. */
        void write(long token) throws InterruptedException;
    }
}
