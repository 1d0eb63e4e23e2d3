package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.Direction;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections come from a pool of the application. */
@ParameterizedClass
@EnumSource
class PoolIT {

    private static final int SIZE = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(2);

    private static SqlServer server;

    private final Database database;

    PoolIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    /** Half a second is less than the timeout of the store; ten minutes are more than a test may take. */
    @ParameterizedTest
    @ValueSource(longs = {500, 600_000})
    void poolWithoutAFreeConnectionIsSaidInTime(long poolWaits) throws SQLException {
        try (HikariDataSource pool = pool(server.port(), poolWaits);
                Holdfast holdfast = open(pool)) {
            Lease before = holdfast.lock("pool").acquire();
            List<Connection> taken = new ArrayList<>();
            for (int i = 0; i < SIZE; i++) {
                taken.add(pool.getConnection());
            }

            long begun = System.nanoTime();
            Throwable thrown = Eventually.comes(CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> holdfast.lock("another").tryAcquire())));
            Eventually.figure(database + ": all connections of the pool in use, said after", begun);
            assertThat(thrown).isInstanceOf(StoreUnavailableException.class);
            assertThat(LogLines.printed(thrown))
                    .containsIgnoringCase("connection")
                    .containsAnyOf("free", "not available");
            Eventually.state(before, LeaseState.LOST);
            assertThat(before.release()).isFalse();

            for (Connection connection : taken) {
                connection.close();
            }
            Lease next = holdfast.lock("pool").acquire();
            assertThat(next.token()).isGreaterThan(before.token());
            assertThat(next.release()).isTrue();
            assertThat(holdfast.lock("another").tryAcquire()).hasValueSatisfying(Lease::close);
            Eventually.holds(
                    "all connections are back", () -> pool.getHikariPoolMXBean().getActiveConnections() <= 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionOfThePoolThatAnswersNothingIsGivenUp(boolean own) {
        try (TcpProxy network = TcpProxy.to(server.port());
                HikariDataSource pool = pool(network.port(), 1_000);
                Holdfast holdfast = own ? openOwn(pool) : open(pool)) {
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

            String whose = own ? "a pool for locks alone" : "the pool";
            Eventually.figure(database + ": silent connections in " + whose + ", next grant after", begun);
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void connectionsGoBackAsTheyCame() throws SQLException {
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
                assertThat(Dialect.ask(connection, database.settingsOfSession()))
                        .isEqualTo("0");
                connection.close();
            }
        }
    }

    /** The pool would give it to somebody who has not asked for that state. */
    @Test
    void connectionThatCannotBePutBackIntoItsStateIsGoneFromThePool() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 10_000)) {
            Session session = PoolSource.shared(pool).open(TIMEOUT);
            Dialect dialect = Dialect.of(session.connection());
            long id = dialect.id(session.connection());
            SQLException refused = new SQLException("no more changes today");
            session.endWith(() -> {
                throw refused;
            });

            assertThat(catchThrowable(session::close)).isSameAs(refused);

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

    /** Its process may have been paused, or its host be gone: nobody else could take or renew that name. */
    @Test
    void transactionThatGoesSilentIsEndedByTheServer() throws SQLException {
        try (HikariDataSource pool = pool(server.port(), 1_000);
                Holdfast holdfast = open(pool);
                Sql other = Sql.at(server.url())) {
            holdfast.lock("paused").run(lease -> {});
            other.connection().setNetworkTimeout(Runnable::run, (int) Eventually.LIMIT.toMillis());
            Session session = PoolSource.shared(pool).open(TIMEOUT);
            Throwable thrown = catchThrowable(() -> session.inTransaction(same -> {
                Dialect.ask(same.connection(), "SELECT 1 FROM holdfast_lease WHERE name = 'paused' FOR UPDATE");
                return other.update("UPDATE holdfast_lease SET capacity = 1 WHERE name = 'paused'");
            }));
            session.closeAfter(thrown);

            assertThat(thrown).isInstanceOf(SQLException.class);
            assertThat(holdfast.lock("paused").tryAcquire()).hasValueSatisfying(Lease::close);
        }
    }

    private static Holdfast open(HikariDataSource pool) {
        return Kind.open(JdbcStore.leaseTable(pool).timeout(TIMEOUT).createTables(), LEASE);
    }

    private static Holdfast openOwn(HikariDataSource pool) {
        JdbcStoreBuilder store = JdbcStore.leaseTable(pool).ownPool().connections(1);
        return Kind.open(store.timeout(TIMEOUT).createTables(), LEASE);
    }

    private HikariDataSource pool(int port, long waits) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url(server, port));
        config.setMaximumPoolSize(SIZE);
        config.setConnectionTimeout(waits);
        config.setValidationTimeout(Math.min(waits, 1_000));
        return new HikariDataSource(config);
    }
}
