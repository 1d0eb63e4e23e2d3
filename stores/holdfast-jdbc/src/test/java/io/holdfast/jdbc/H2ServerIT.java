package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.jdbc.internal.connection.ConnectionWorker;
import io.holdfast.jdbc.internal.connection.DataSourceConnectionSource;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.servers.Direction;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** H2 as a server. */
class H2ServerIT {

    private Server server;

    @BeforeEach
    void start() throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    @Test
    void unresponsiveConnectionIsDiscarded() {
        try (TcpProxy network = TcpProxy.to(server.getPort());
                Holdfast holdfast = open(network.port())) {
            assertThat(holdfast.lock("silent").tryAcquire()).hasValueSatisfying(Lease::close);
            network.carrying("").forEach(connection -> connection.stall(Direction.TO_CLIENT));

            assertThat(holdfast.lock("silent").acquire().release()).isTrue();
        }
    }

    /** H2's driver keeps the socket, so H2 keeps the transaction. */
    @Test
    void rowsOfATransactionThatTimedOutAreUnlocked() throws SQLException {
        try (TcpProxy network = TcpProxy.to(server.getPort());
                ConnectionWorker worker = new ConnectionWorker(
                        "worker",
                        UrlConnectionSource.of(url(network.port())),
                        new H2Dialect(),
                        Duration.ofMillis(500),
                        Ticker.system());
                Sql other = Sql.at(url(server.getPort()))) {
            other.update("CREATE TABLE locked (id INTEGER PRIMARY KEY)");
            other.update("INSERT INTO locked VALUES (1)");

            assertThat(worker.call(
                            ConnectionWorker.Priority.REQUEST,
                            session -> session.inTransaction(same -> {
                                Dialect.queryValue(same.connection(), "SELECT id FROM locked FOR UPDATE");
                                network.carrying("").forEach(connection -> connection.stall(Direction.TO_CLIENT));
                                return String.valueOf(Dialect.queryValue(same.connection(), "SELECT 1"));
                            })))
                    .failsWithin(Eventually.LIMIT);
            ask(worker, "SELECT 1").join();

            assertThat(other.update("DELETE FROM locked")).isEqualTo(1);
            worker.stop();
        }
    }

    /** H2's driver ignores the abort, so the pool lends the connection again, perhaps to the application: its session must not be ended. */
    @Test
    void sessionOfAPooledConnectionThatWasRestoredIsNotEnded() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(server.getPort()));
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config);
                ConnectionWorker worker = new ConnectionWorker(
                        "worker",
                        DataSourceConnectionSource.of(pool),
                        new H2Dialect(),
                        Eventually.LIMIT,
                        Ticker.system())) {
            String session = ask(worker, "SELECT SESSION_ID()").join();
            assertThat(ask(worker, "SELECT id FROM nowhere")).failsWithin(Eventually.LIMIT);

            assertThat(ask(worker, "SELECT SESSION_ID()"))
                    .succeedsWithin(Eventually.LIMIT)
                    .isEqualTo(session);
            assertThat(ask(worker, "SELECT SESSION_ID()"))
                    .succeedsWithin(Eventually.LIMIT)
                    .isEqualTo(session);
            worker.stop();
        }
    }

    private static CompletableFuture<String> ask(ConnectionWorker worker, String query) {
        return worker.call(
                ConnectionWorker.Priority.REQUEST,
                session -> String.valueOf(Dialect.queryValue(session.connection(), query)));
    }

    private static String url(int port) {
        return "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:locks;DB_CLOSE_DELAY=-1";
    }

    private static Holdfast open(int port) {
        return Kind.open(Kind.LEASE_TABLE.at(url(port)).timeout(Duration.ofMillis(500)), Duration.ofSeconds(10));
    }
}
