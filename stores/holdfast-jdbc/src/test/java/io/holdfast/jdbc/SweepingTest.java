package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

class SweepingTest {

    private static final Duration DAY = Duration.ofDays(1);

    /** A database that does not answer for a moment must not keep the rows for hours. */
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
        Dialect dialect = new H2();
        String table = "no_such_table";
        UrlSource source = UrlSource.of("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (Lanes lanes = new Lanes(1, source, dialect, Duration.ofSeconds(5), environment.ticker());
                Sweeping sweeping = new Sweeping(
                        "h2", environment, lanes, dialect, new LeaseSql(dialect, table, table).sweep(DAY))) {
            sweeping.uses("a");
            pauses.remove();
            steps.remove().run();

            Eventually.holds("it has failed", () -> !pauses.isEmpty());
            assertThat(pauses.remove()).isBetween(Duration.ofSeconds(10), Duration.ofMinutes(1));
        }
    }
}
