package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.dialect.PostgresDialect;
import io.holdfast.jdbc.internal.lease.LeaseSql;
import io.holdfast.servers.PostgresServer;
import io.holdfast.testkit.StoreClient;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On PostgreSQL, a commit waits for the disk if it grants a lease, and not if it queues a claim or releases a lease. */
class DurabilityIT {

    private static PostgresServer server;

    private final LeaseSql sql = new LeaseSql(new PostgresDialect(), "holdfast_lease", "holdfast_lease");

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void createTables() {
        new StoreClient(Kind.LEASE_TABLE.at(server.url())).close();
    }

    @Test
    void grantOfANewNameIsDurable() throws SQLException {
        assertThat(afterAcquire(sql.acquire, "new", "first")).isEqualTo("on");
    }

    @Test
    void grantOfANameThatWasReleasedIsDurable() throws SQLException {
        afterAcquire(sql.acquire, "again", "first");
        after(sql.release, "again", "first");

        assertThat(afterAcquire(sql.acquire, "again", "second")).isEqualTo("on");
    }

    @Test
    void entryInTheQueueIsNot() throws SQLException {
        afterAcquire(sql.acquire, "held", "first");

        assertThat(afterAcquire(sql.acquireOrEnqueue, "held", "second")).isEqualTo("off");
    }

    @Test
    void releaseIsNot() throws SQLException {
        afterAcquire(sql.acquire, "released", "first");

        assertThat(after(sql.release, "released", "first")).isEqualTo("off");
    }

    @Test
    void handOverIsNot() throws SQLException {
        afterAcquire(sql.acquire, "handed over", "first");
        afterAcquire(sql.acquireOrEnqueue, "handed over", "second");

        assertThat(after(Objects.requireNonNull(sql.handOver), "handed over", "first"))
                .isEqualTo("off");
    }

    /** Acquires the name or queues the claim; what {@code synchronous_commit} is when the transaction ends. */
    private static String afterAcquire(@Nullable String statement, String name, String claim) throws SQLException {
        return after(Objects.requireNonNull(statement), name, 1, claim, 1L, 60_000_000L, "owner", 60_000_000L);
    }

    private static String after(String statement, Object... parameters) throws SQLException {
        try (Connection connection = DriverManager.getConnection(server.url())) {
            connection.setAutoCommit(false);
            try (PreparedStatement prepared = connection.prepareStatement(statement)) {
                for (int index = 0; index < parameters.length; index++) {
                    prepared.setObject(index + 1, parameters[index]);
                }
                prepared.execute();
            }
            String setting;
            try (PreparedStatement show = connection.prepareStatement("SHOW synchronous_commit");
                    ResultSet row = show.executeQuery()) {
                row.next();
                setting = row.getString(1);
            }
            connection.commit();
            return setting;
        }
    }
}
