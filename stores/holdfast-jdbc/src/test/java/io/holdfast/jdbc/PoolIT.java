package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.StoreUnavailableException;
import io.holdfast.jdbc.internal.connection.DataSourceConnectionSource;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.servers.Direction;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections come from a pool of the application. */
@ParameterizedClass
@EnumSource
class PoolIT {

    private static final int SIZE = 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(2);

    @TempDir
    private static Path folder;

    private static SqlServer server;

    private final Database database;

    PoolIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.startWithAdministrator(folder);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @Test
    void poolThatTheApplicationExhaustsCostsNoLease() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool);
                Sql sql = Sql.at(server.url())) {
            Lease lease = holdfast.lock("exhausted").acquire();
            int kept = pool.getHikariPoolMXBean().getActiveConnections();
            List<Connection> borrowed = new ArrayList<>();
            for (int i = kept; i < SIZE; i++) {
                borrowed.add(pool.getConnection());
            }
            String end = "SELECT ends_at FROM holdfast_lease WHERE name = 'exhausted'";
            long begun = sql.number(end);

            Eventually.holds(
                    "it is renewed for two leases", () -> sql.number(end) - begun > 2 * LEASE.toMillis() * 1_000);

            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.release()).isTrue();
            assertThat(holdfast.lock("another").tryAcquire()).hasValueSatisfying(Lease::close);
            for (Connection connection : borrowed) {
                connection.close();
            }
        }
    }

    @Test
    void poolOfTwoIsRefused() {
        try (HikariDataSource pool = pool(server.port(), 500, 2)) {
            assertThat(catchThrowable(() -> open(pool)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has only 2 connections left")
                    .hasMessageContaining("Raise the maximum size of the pool");
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    /** As many as with connections of a URL: one to acquire, one to release. */
    @Test
    void uncontendedLockNeedsTwoStatements() {
        int rounds = 100;
        long few = statements(1);
        long many = statements(1 + rounds) - few;
        System.out.printf("figure: %s: %d statements for %d more critical sections%n", database, many, rounds);
        assertThat(many).isBetween(2L * rounds - 10, 2L * rounds + rounds / 2);
    }

    private long statements(int sections) {
        StoreKind kind = database == Database.POSTGRES ? StoreKind.POSTGRES_TABLE : StoreKind.MARIADB_TABLE;
        long before = StatementCount.of(kind, server.url());
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool)) {
            for (int i = 0; i < sections; i++) {
                holdfast.lock("counted").run(lease -> {});
            }
        }
        return StatementCount.of(kind, server.url()) - before;
    }

    @Test
    void waiterIsNotifiedOnAConnectionOfThePool() {
        assumeTrue(database == Database.POSTGRES, "only PostgreSQL has notifications");
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE);
                Database.Admin admin = database.admin(server)) {
            Lease held = other.lock("notified").acquire();
            CompletableFuture<Lease> waiter = holdfast.lock("notified").acquireAsync(Eventually.LIMIT);
            Eventually.holds(
                    "it listens", () -> !admin.sessions(Database.LISTENING).isEmpty());
            Eventually.holds(
                    "it is queued",
                    () -> admin.number("SELECT count(*) FROM holdfast_lease WHERE name = 'notified' AND queue <> ''")
                            == 1);

            assertThat(held.release()).isTrue();

            assertThat(Eventually.comes(waiter).release()).isTrue();
        }
    }

    @Test
    void unresponsiveConnectionOfThePoolIsDiscarded() {
        try (TcpProxy network = TcpProxy.to(server.port());
                HikariDataSource pool = pool(network.port(), 1_000);
                Holdfast holdfast = open(pool)) {
            assertThat(holdfast.lock("silent").tryAcquire()).hasValueSatisfying(Lease::close);
            // The pool makes one after the other, and the driver of PostgreSQL would wait without end for one that is
            // half made.
            Eventually.holds(
                    "the pool is full", () -> pool.getHikariPoolMXBean().getTotalConnections() == SIZE);
            network.carrying("").forEach(connection -> {
                connection.stall(Direction.TO_SERVER);
                connection.stall(Direction.TO_CLIENT);
            });

            long begun = System.nanoTime();
            Lease lease = holdfast.lock("silent").acquire(Eventually.LIMIT);

            Eventually.figure(database + ": unresponsive connections in the pool, next grant after", begun);
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void connectionsAreReturnedWithTheirSettings() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 1_000)) {
            int before;
            try (Connection connection = pool.getConnection()) {
                before = connection.getNetworkTimeout();
            }
            try (Holdfast holdfast = open(pool)) {
                holdfast.lock("tidy").run(lease -> {});
                holdfast.semaphore("tidy, too", 3).run(lease -> {});
            }
            List<Connection> all = new ArrayList<>();
            for (int i = 0; i < SIZE; i++) {
                all.add(pool.getConnection());
            }
            for (Connection connection : all) {
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.getNetworkTimeout()).isEqualTo(before);
                assertThat(Dialect.queryValue(connection, database.settingsOfSession()))
                        .isEqualTo("0");
                connection.close();
            }
        }
    }

    /** The pool would lend it in that state. */
    @Test
    void connectionThatCannotBeRestoredIsEvictedFromThePool() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 10_000)) {
            Session session = DataSourceConnectionSource.of(pool).open(TIMEOUT);
            Dialect dialect = Dialect.of(session.connection());
            long id = dialect.id(session.connection());
            SQLException refused = new SQLException("no more changes today");
            session.restoreBeforeClosing(() -> {
                throw refused;
            });

            assertThat(closed(session)).anyMatch(line -> line.contains(refused.getMessage()));

            List<Connection> all = new ArrayList<>();
            for (int i = 0; i < SIZE; i++) {
                all.add(pool.getConnection());
            }
            for (Connection connection : all) {
                assertThat(dialect.id(connection)).isNotEqualTo(id);
                connection.close();
            }
        }
    }

    /** The log meanwhile, also at level DEBUG. */
    private static List<String> closed(Session session) {
        Logger logger = Logger.getLogger("io.holdfast");
        logger.setLevel(Level.FINE);
        try (LogLines log = LogLines.ofHoldfast()) {
            session.close();
            return log.lines();
        } finally {
            logger.setLevel(null);
        }
    }

    /** Its process may be paused, or its host may have vanished: no other process could acquire or renew that name. */
    @Test
    void transactionOfAnUnresponsiveClientIsEndedByTheServer() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool);
                Sql other = Sql.at(server.url())) {
            holdfast.lock("paused").run(lease -> {});
            other.connection().setNetworkTimeout(Runnable::run, (int) Eventually.LIMIT.toMillis());
            Session session = DataSourceConnectionSource.of(pool).open(TIMEOUT);
            Throwable thrown = catchThrowable(() -> session.inTransaction(same -> {
                Dialect.queryValue(same.connection(), "SELECT 1 FROM holdfast_lease WHERE name = 'paused' FOR UPDATE");
                return other.update("UPDATE holdfast_lease SET capacity = 1 WHERE name = 'paused'");
            }));
            session.close();

            assertThat(thrown).isInstanceOf(SQLException.class);
            assertThat(holdfast.lock("paused").tryAcquire()).hasValueSatisfying(Lease::close);
        }
    }

    /** A transaction of an administrator has locked a row and stays open: statements for it do not pile up in the server. */
    @Test
    void fewStatementsWaitForALockedRow() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool);
                Sql other = Sql.at(server.url());
                Database.Admin administrator = database.administrator(server)) {
            holdfast.lock("locked").run(lease -> {});
            other.connection().setAutoCommit(false);
            other.number("SELECT 1 FROM holdfast_lease WHERE name = 'locked' FOR UPDATE");
            CompletableFuture<Lease> waiter = holdfast.lock("locked").acquireAsync(Eventually.LIMIT);

            Set<Long> seen = new HashSet<>();
            Eventually.holds("statements have waited one after the other", () -> {
                List<Long> waiting = administrator.numbers(database.lockWaits());
                assertThat(waiting).hasSizeLessThanOrEqualTo(2);
                seen.addAll(waiting);
                return seen.size() >= 5;
            });

            other.connection().rollback();
            assertThat(Eventually.comes(waiter).release()).isTrue();
        }
    }

    /** The pool lends a connection on which the application has chosen another schema, and has left it so. */
    @Test
    void tableIsTheSameIfTheApplicationSetsAnotherSchema() throws SQLException {
        String schema = "tenant";
        String tables = schema + ".holdfast_lease";
        try (Database.Admin administrator = database.administrator(server)) {
            administrator.execute("CREATE SCHEMA " + schema);
            if (database == Database.MARIADB) {
                administrator.execute("GRANT ALL ON " + schema + ".* TO holdfast@'%'");
            }
        }
        Kind.open(Kind.LEASE_TABLE.at(server.url()).table(tables), LEASE).close();
        String choice = (database == Database.POSTGRES ? "SET search_path TO " : "USE ") + schema;
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), Duration.ofMinutes(1));
                Database.Admin admin = database.admin(server)) {
            Lease held = other.lock("room").acquire();
            List<Connection> all = new ArrayList<>();
            for (int i = pool.getHikariPoolMXBean().getActiveConnections(); i < SIZE; i++) {
                all.add(pool.getConnection());
            }
            List<Long> chosen = new ArrayList<>();
            for (Connection connection : all) {
                Dialect.execute(connection, choice);
                chosen.add(Dialect.of(connection).id(connection));
                connection.close();
            }
            List<Long> kept = admin.sessions();
            kept.removeAll(chosen);
            admin.end(kept);

            Eventually.holds("it answers on another connection", () -> {
                try {
                    assertThat(holdfast.lock("room").tryAcquire()).isEmpty();
                    return true;
                } catch (StoreUnavailableException notYet) {
                    return false;
                }
            });
            assertThat(held.release()).isTrue();
        }
    }

    private static Holdfast open(HikariDataSource pool) {
        return Kind.open(JdbcStore.leaseTable(pool).timeout(TIMEOUT).createTables(), LEASE);
    }

    private HikariDataSource pool(int port, long waits) {
        return pool(port, waits, SIZE);
    }

    private HikariDataSource pool(int port, long waits, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url(server, port));
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(waits);
        config.setValidationTimeout(Math.min(waits, 1_000));
        return new HikariDataSource(config);
    }
}
