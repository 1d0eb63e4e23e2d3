package io.holdfast.jdbc.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.jdbc.internal.dialect.TableSchema;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RowPollerTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final Dialect dialect = new H2Dialect();
    private final LeaseSql sql = new LeaseSql(dialect, "holdfast_lease", "holdfast_lease");

    /** A thread that was paused before it started its batch continues after another batch has executed the poll. */
    @Test
    void emptyBatchKeepsTheConnection() throws SQLException {
        Environment environment = new Environment(Ticker.system(), (task, delay) -> () -> {}, Runnable::run, () -> 0.5);
        try (Connection connection = DriverManager.getConnection(url);
                ConnectionWorkers workers = new ConnectionWorkers(
                        1, UrlConnectionSource.of(url), dialect, Duration.ofSeconds(5), environment.ticker())) {
            new TableSchema(dialect, "lease", "holdfast_lease").create(connection);
            RowPoller poller = new RowPoller(workers, sql, dialect, new PollIntervals(environment, () -> 1, false));
            Connection before = Eventually.comes(workers.call(Session::connection));

            assertThat(Eventually.comes(poller.poll(claim(1)))).isEmpty();
            poller.run();

            assertThat(Eventually.comes(poller.poll(claim(2)))).isEmpty();
            assertThat(Eventually.comes(workers.call(Session::connection))).isSameAs(before);
        }
    }

    private static Claim claim(int number) {
        return new Claim(
                "name", new ClaimId(1, number), Claim.Mode.WAIT, 1, 1, LEASE, 1, new Owner("test", 1, "poller", ""));
    }
}
