package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.servers.Direction;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While a table is being altered or locked, statements wait for it in the server, perhaps for longer than their clients live. */
class MetadataLockIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private MariaDbServer server;
    private Sql admin;

    @BeforeEach
    void start() {
        server = MariaDbServer.start();
        admin = Sql.at(server.url());
        Kind.LEASE_TABLE.open(server.url(), Eventually.LIMIT).close();
    }

    @AfterEach
    void stop() {
        admin.close();
        server.close();
    }

    /** The server does not find out that the host has vanished, and by default waits for the table for a day. */
    @Test
    void statementOfAVanishedHostTimesOut() throws Exception {
        try (Sql altering = Sql.at(server.url());
                TcpProxy network = TcpProxy.to(server.port());
                Connection naive = DriverManager.getConnection(server.url(network.port()));
                Session ours =
                        UrlConnectionSource.of(server.url(network.port())).open(TIMEOUT)) {
            altering.update("LOCK TABLES holdfast_lease WRITE");
            try {
                vanish(network, naive, ours.connection());
            } finally {
                // Else closing them would wait for a response.
                network.refuse();
                network.cut();
            }
        }
    }

    private void vanish(TcpProxy network, Connection naive, Connection ours) throws SQLException {
        long naiveId = id(naive);
        long ourId = id(ours);
        long before = queryOf(ourId);
        network.stall(Direction.TO_CLIENT);
        read(naive);
        read(ours);
        waitsForTheTable(naiveId);

        Eventually.holds("the statement has timed out", () -> queryOf(ourId) > before && isIdle(ourId));
        assertThat(isIdle(naiveId)).isFalse();
    }

    /** Here the server checks every second, so no setting is needed. */
    @Test
    void statementOfAClosedConnectionIsAbortedByTheServer() throws Exception {
        try (Sql altering = Sql.at(server.url());
                TcpProxy network = TcpProxy.to(server.port());
                Connection naive = DriverManager.getConnection(server.url(network.port()))) {
            altering.update("LOCK TABLES holdfast_lease WRITE");
            long id = id(naive);
            read(naive);
            waitsForTheTable(id);
            network.refuse();
            network.cut();

            Eventually.holds("the session has ended", () -> number("COUNT(*)", id) == 0);
        }
    }

    @Test
    void locksWorkAgainWhenTheTableIsFree() {
        try (Sql altering = Sql.at(server.url());
                Holdfast holdfast = Kind.open(Kind.LEASE_TABLE.at(server.url()).timeout(TIMEOUT), Eventually.LIMIT)) {
            altering.update("LOCK TABLES holdfast_lease WRITE");
            CompletableFuture<?> waiting = holdfast.lock("apples").acquireAsync();
            Eventually.holds(
                    "a statement waits for the table",
                    () -> admin.number("SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE"
                                    + " 'Waiting for table metadata lock%'")
                            > 0);
            altering.update("UNLOCK TABLES");

            assertThat(Eventually.comes(waiting)).isNotNull();
        }
    }

    private static long id(Connection connection) throws SQLException {
        return Long.parseLong(String.valueOf(Dialect.queryValue(connection, "SELECT CONNECTION_ID()")));
    }

    private static void read(Connection connection) {
        // Not in the common pool, which has one thread on two processors.
        Thread reader = new Thread(() -> {
            try {
                Dialect.queryValue(connection, "SELECT COUNT(*) FROM holdfast_lease");
            } catch (SQLException isolated) {
                // As the test has it.
            }
        });
        reader.setDaemon(true);
        reader.start();
    }

    private void waitsForTheTable(long id) {
        Eventually.holds(
                id + " waits for the table", () -> number("state LIKE 'Waiting for table metadata lock%'", id) == 1);
    }

    /** Grows with every statement. */
    private long queryOf(long id) {
        return number("query_id", id);
    }

    private boolean isIdle(long id) {
        return number("command = 'Sleep'", id) == 1;
    }

    private long number(String what, long id) {
        return admin.number("SELECT " + what + " FROM information_schema.processlist WHERE id = ?", id);
    }
}
