package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.PostgresServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pooler in transaction mode is between Holdfast and the server. */
class PoolerIT {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** The session, and what was set there not by the driver, and for longer than a transaction, or prepared. */
    private static final String LEFT =
            "SELECT pg_backend_pid(), (SELECT string_agg(what, ',') FROM (SELECT name AS what FROM"
                    + " pg_settings WHERE source = 'session' AND name NOT IN ('application_name',"
                    + " 'extra_float_digits', 'transaction_isolation')"
                    + " UNION ALL SELECT pg_listening_channels()"
                    + " UNION ALL SELECT statement FROM pg_prepared_statements) AS all_that)";

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
        // The tables are there, so that nothing but the pooler can be in the way.
        Kind.SESSION_LOCKS.open(server.url(), LEASE).close();
        Kind.LEASE_TABLE.open(server.url(), LEASE).close();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({"LAST_USED, 2", "LAST_USED, 5", "LEAST_RECENTLY_USED, 2", "LEAST_RECENTLY_USED, 3"})
    void sessionLocksAreRefusedInTransactionMode(TransactionPooler.Order order, int sessions) {
        try (TransactionPooler pooler = new TransactionPooler(server.port(), sessions)) {
            pooler.poolTransactions(order);
            assertThatThrownBy(() -> Kind.SESSION_LOCKS.open(url(pooler), LEASE))
                    .hasMessageContaining("pooler")
                    .hasMessageContaining("proxy in transaction mode")
                    .hasMessageContaining("Connect to the server itself");
        }
    }

    @Test
    void transactionPoolingThatBeginsLaterIsDetectedByARenewal() {
        try (TransactionPooler pooler = new TransactionPooler(server.port(), 6);
                Holdfast pooled = Kind.SESSION_LOCKS.open(url(pooler), LEASE);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE)) {
            Lease held = pooled.lock("pooled").acquire();
            Eventually.renewed(held);
            CompletableFuture<Lease> waiter = other.lock("pooled").acquireAsync();

            pooler.poolTransactions(TransactionPooler.Order.LEAST_RECENTLY_USED);

            Eventually.state(held, LeaseState.LOST);
            // The lock is still held by a session that is not used; the server ends it.
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(held.release()).isFalse();
            assertThat(next.release()).isTrue();
        }
    }

    /** As the message says. */
    @Test
    void leaseTableWorksInTransactionMode() {
        try (TransactionPooler pooler = new TransactionPooler(server.port(), 6)) {
            pooler.poolTransactions(TransactionPooler.Order.LEAST_RECENTLY_USED);
            try (Holdfast pooled = Kind.LEASE_TABLE.open(server.url(pooler.port()), LEASE);
                    Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE)) {
                Lease held = pooled.lock("table").acquire();
                CompletableFuture<Lease> waiter = other.lock("table").acquireAsync();
                Eventually.renewed(held);
                assertThat(waiter).isNotDone();
                CompletableFuture<Lease> pooledWaiter = pooled.lock("table").acquireAsync();
                assertThat(held.release()).isTrue();
                for (CompletableFuture<Long> token : List.of(used(waiter), used(pooledWaiter))) {
                    assertThat(Eventually.comes(token)).isGreaterThan(held.token());
                }
            }
        }
    }

    /** The driver would soon prepare on the server what is sent often, and the next session does not know it, or another's. */
    @Test
    void nothingIsPreparedInOneSessionAndUsedInAnother() {
        try (TransactionPooler pooler = new TransactionPooler(server.port(), 4)) {
            pooler.poolTransactions(TransactionPooler.Order.LEAST_RECENTLY_USED);
            try (Holdfast pooled = Kind.LEASE_TABLE.open(server.url(pooler.port()) + "&prepareThreshold=1", LEASE)) {
                long last = 0;
                for (int i = 0; i < 20; i++) {
                    Lease held = pooled.lock("often").acquire();
                    assertThat(held.token()).isGreaterThan(last);
                    last = held.token();
                    assertThat(held.release()).isTrue();
                    pooled.semaphore("often, too", 3).run(lease -> {});
                }
            }
        }
    }

    /** The application uses the sessions, too: a setting would stay in effect for it. */
    @Test
    void sessionsOfThePoolerKeepNoSettings() throws SQLException {
        int sessions = 3;
        try (TransactionPooler pooler = new TransactionPooler(server.port(), sessions);
                LogLines log = LogLines.ofHoldfast()) {
            pooler.poolTransactions(TransactionPooler.Order.LEAST_RECENTLY_USED);
            try (Holdfast pooled = Kind.LEASE_TABLE.open(server.url(pooler.port()) + "&prepareThreshold=1", LEASE)) {
                Lease held = pooled.lock("tidy").acquire();
                CompletableFuture<Lease> waiter = pooled.lock("tidy").acquireAsync();
                Lease permit = pooled.semaphore("tidy, too", 3).acquire();
                Eventually.renewed(held);
                Eventually.renewed(permit);
                assertThat(permit.release()).isTrue();
                assertThat(held.release()).isTrue();
                Eventually.comes(used(waiter));
            }
            assertThatThrownBy(() -> Kind.SESSION_LOCKS.open(url(pooler), LEASE))
                    .hasMessageContaining("proxy in transaction mode");

            Set<String> seen = new HashSet<>();
            try (Connection connection = DriverManager.getConnection(url(pooler));
                    Statement statement = connection.createStatement()) {
                while (seen.size() < sessions) {
                    try (ResultSet row = statement.executeQuery(LEFT)) {
                        row.next();
                        assertThat(row.getString(2))
                                .as("what is set, listened to or prepared")
                                .isNull();
                        seen.add(row.getString(1));
                    }
                }
            }
            assertThat(log.warnings()).anyMatch(line -> line.contains("pooler in transaction mode"));
        }
    }

    private static CompletableFuture<Long> used(CompletableFuture<Lease> lease) {
        return lease.thenApply(held -> {
            assertThat(held.release()).isTrue();
            return held.token();
        });
    }

    private static String url(TransactionPooler pooler) {
        return server.url(pooler.port()) + "&preferQueryMode=simple";
    }
}
