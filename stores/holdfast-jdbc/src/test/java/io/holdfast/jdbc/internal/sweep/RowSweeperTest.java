package io.holdfast.jdbc.internal.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.jdbc.internal.lease.LeaseSql;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class RowSweeperTest {

    private static final Duration DAY = Duration.ofDays(1);

    /** If the database is unresponsive for a moment, the sweep must not stop for hours. */
    @Test
    void sweepThatHasFailedIsRepeatedWithinAMinute() {
        BlockingQueue<Runnable> steps = new LinkedBlockingQueue<>();
        BlockingQueue<Duration> pauses = new LinkedBlockingQueue<>();
        Environment environment = new Environment(
                Ticker.system(),
                (step, delay) -> {
                    pauses.add(Duration.ofNanos(delay));
                    steps.add(step);
                    return () -> {};
                },
                Runnable::run,
                () -> 0.5);
        Dialect dialect = new H2Dialect();
        String table = "no_such_table";
        UrlConnectionSource source = UrlConnectionSource.of("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (ConnectionWorkers workers =
                        new ConnectionWorkers(1, source, dialect, Duration.ofSeconds(5), environment.ticker());
                RowSweeper sweeper = new RowSweeper(
                        "h2", environment, workers, dialect, new LeaseSql(dialect, table, table).sweep(DAY))) {
            sweeper.startNear("a");
            pauses.remove();
            steps.remove().run();

            Eventually.holds("it has failed", () -> !pauses.isEmpty());
            assertThat(pauses.remove()).isBetween(Duration.ofSeconds(10), Duration.ofMinutes(1));
        }
    }
}
