package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connection pool exhaustion by the application: a connection of the store that breaks is not replaced for long. */
class BusyPoolIT {

    private static final int SIZE = 10;
    private static final int LEASES = 400;
    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final int IDLE_SECONDS = 7;

    @ParameterizedTest
    @EnumSource
    void leasesAreRenewedOnTheRemainingConnection(Database database) throws SQLException {
        try (SqlServer server = database.start();
                Database.Admin admin = database.admin(server);
                Sql sql = Sql.at(server.url());
                Application application = new Application(database, server, admin);
                Holdfast holdfast = application.open()) {
            List<Lease> leases = IntStream.range(0, LEASES)
                    .mapToObj(i -> holdfast.lock("held" + i).acquire())
                    .toList();
            List<Long> kept = application.takeTheRest();
            CompletableFuture<Void> more = application.waitForOneMore();
            String least = "SELECT MIN(ends_at) FROM holdfast_lease";
            long before = sql.number(least);

            admin.end(kept.subList(0, 1));

            Eventually.holds(
                    "all are renewed for two leases", () -> sql.number(least) - before > 2 * LEASE.toMillis() * 1_000);
            assertThat(leases).allMatch(lease -> lease.state() == LeaseState.HELD);
            application.returnAll();
            Eventually.comes(more);
        }
    }

    /** A server may end sessions that are idle, and a firewall their connections. */
    @ParameterizedTest
    @EnumSource
    void idleConnectionsAreNotLost(Database database) throws SQLException {
        String setting = database == Database.POSTGRES
                ? "idle_session_timeout=" + IDLE_SECONDS + "s"
                : "wait_timeout=" + IDLE_SECONDS;
        try (SqlServer server = database.start(setting);
                Database.Admin admin = database.admin(server);
                Application application = new Application(database, server, admin);
                Holdfast holdfast = application.open()) {
            holdfast.lock("one").run(lease -> {});
            List<Long> kept = application.takeTheRest();

            // Twice, for the store may have used its connections a moment ago.
            application.awaitEndOfSessions();
            application.sessions.add(idle(database, server));
            application.awaitEndOfSessions();

            assertThat(admin.sessions()).containsAll(kept);
            assertThat(holdfast.lock("two").tryAcquire()).hasValueSatisfying(Lease::close);
        }
    }

    /** Opens a connection that is not used. */
    private static long idle(Database database, SqlServer server) throws SQLException {
        Connection connection = DriverManager.getConnection(database.url(server));
        return Dialect.of(connection).id(connection);
    }

    /** An application with a dedicated connection pool. It returns no connection. */
    private static final class Application implements AutoCloseable {

        private final Database.Admin admin;
        private final List<Long> others;
        private final HikariDataSource pool;
        private final List<Connection> borrowed = new ArrayList<>();
        private final List<Long> sessions = new ArrayList<>();
        private final Queue<Connection> more = new ConcurrentLinkedQueue<>();

        Application(Database database, SqlServer server, Database.Admin admin) {
            this.admin = admin;
            this.others = admin.sessions();
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(database.url(server));
            config.setMaximumPoolSize(SIZE);
            this.pool = new HikariDataSource(config);
        }

        Holdfast open() {
            return Kind.open(JdbcStore.leaseTable(pool).createTables(), LEASE);
        }

        /** Returns the sessions in which the store executes its statements. */
        List<Long> takeTheRest() throws SQLException {
            for (int i = pool.getHikariPoolMXBean().getActiveConnections(); i < SIZE; i++) {
                Connection connection = pool.getConnection();
                borrowed.add(connection);
                sessions.add(Dialect.of(connection).id(connection));
            }
            List<Long> kept = admin.sessions();
            kept.removeAll(others);
            kept.removeAll(sessions);
            kept.removeAll(admin.sessions(Database.LISTENING));
            assertThat(kept).hasSize(2);
            return kept;
        }

        /** On another thread, which keeps what it gets. */
        CompletableFuture<Void> waitForOneMore() {
            CompletableFuture<Void> came = CompletableFuture.runAsync(() -> {
                try {
                    more.add(pool.getConnection());
                } catch (SQLException none) {
                    throw new IllegalStateException(none);
                }
            });
            Eventually.holds(
                    "it waits for the pool", () -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
            return came;
        }

        void awaitEndOfSessions() {
            Eventually.holds(
                    "the server has ended them", () -> admin.sessions().stream().noneMatch(sessions::contains));
        }

        void returnAll() throws SQLException {
            for (Connection connection : borrowed) {
                connection.close();
            }
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
