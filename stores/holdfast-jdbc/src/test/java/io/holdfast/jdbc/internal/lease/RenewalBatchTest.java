package io.holdfast.jdbc.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.jdbc.internal.dialect.TableSchema;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RenewalBatchTest {

    private static final Duration SHORT = Duration.ofSeconds(2);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final Dialect dialect = new H2Dialect();
    private final LeaseSql sql = new LeaseSql(dialect, "holdfast_lease", "holdfast_lease");
    private final LeaseTransactions transactions = new LeaseTransactions(sql, Ticker.system(), () -> 0);

    /** The process was paused between two statements, and another claim could hold the name by now. */
    @Test
    void leaseThatExpiresBetweenTheStatementsIsNotKept() throws SQLException {
        Claim claim = new Claim(
                "apples", new ClaimId(1, 1), Claim.Mode.TRY, 1, 1, SHORT, 1, new Owner("test", 1, "renewal", ""));
        try (Connection connection = DriverManager.getConnection(url)) {
            new TableSchema(dialect, "lease", "holdfast_lease").create(connection);
            Session session = new Session(pausing(connection));
            transactions.acquireAll(session, claim);

            RenewalRequest renewal = new RenewalRequest(claim, SHORT);
            Map<RenewalRequest, RenewalRequest.Outcome> outcomes = new HashMap<>();
            new RenewalBatch(session, sql, dialect, transactions, Ticker.system(), SHORT, outcomes)
                    .renew(List.of(renewal));
            assertThat(outcomes).containsExactly(Map.entry(renewal, RenewalRequest.Outcome.GONE));
        }
    }

    /** The lease expires before it is extended. */
    private static Connection pausing(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                RenewalBatchTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")
                            && ((String) arguments[0]).startsWith("UPDATE holdfast_lease SET ends_at")) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("UPDATE holdfast_lease SET ends_at = 1");
                        }
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
