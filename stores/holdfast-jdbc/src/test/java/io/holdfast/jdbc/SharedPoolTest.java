package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorker;
import io.holdfast.jdbc.internal.connection.DataSourceConnectionSource;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.jdbc.internal.dialect.TableSchema;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

class SharedPoolTest {

    private final JdbcConnectionPool pool =
            JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");

    @AfterEach
    void close() {
        pool.dispose();
    }

    @Test
    void keepsItsConnectionsUntilItIsClosed() {
        try (Holdfast holdfast = open(JdbcStore.leaseTable(pool));
                Lease lease = holdfast.lock("a").acquire()) {
            lease.ensureHeld();

            assertThat(pool.getActiveConnections()).isEqualTo(2);
        }
        assertThat(pool.getActiveConnections()).isZero();
    }

    @Test
    void storesOfOneBuilderKeepSeparateConnections() throws SQLException {
        Duration timeout = Duration.ofSeconds(5);
        DataSourceConnectionSource builder = DataSourceConnectionSource.of(pool);
        ConnectionSource closed = builder.resolve(timeout);
        DataSourceConnectionSource open = (DataSourceConnectionSource) builder.resolve(timeout);
        open.borrow(2, false, timeout);

        closed.close();

        assertThat(pool.getActiveConnections()).isEqualTo(2);
        open.close();
        assertThat(pool.getActiveConnections()).isZero();
    }

    /** The locks have their connections already, so threads in transactions cannot exhaust the pool for them. */
    @Test
    void lockIsAcquiredInsideATransactionOfThePool() {
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(pool));
        try (Holdfast holdfast = open(JdbcStore.leaseTable(pool))) {
            transaction.executeWithoutResult(status ->
                    holdfast.lock("a").run(lease -> assertThat(lease.token()).isPositive()));
        }
    }

    @Test
    void poolThatIsTooSmallIsRefused() {
        pool.setMaxConnections(2);
        pool.setLoginTimeout(1);

        assertThatThrownBy(() -> open(JdbcStore.leaseTable(pool)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has only 2 connections left")
                .hasMessageContaining("Raise the maximum size of the pool to 3");

        assertThat(pool.getActiveConnections()).isZero();
    }

    @Test
    void poolOfOneIsRefused() {
        pool.setMaxConnections(1);
        pool.setLoginTimeout(1);

        assertThatThrownBy(() -> open(JdbcStore.leaseTable(pool)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has only 1 connection left")
                .hasMessageContaining("Raise the maximum size of the pool");

        assertThat(pool.getActiveConnections()).isZero();
    }

    /** So that the pool can end old connections, and use new credentials. */
    @Test
    void oldConnectionIsExchanged() throws SQLException {
        DataSourceConnectionSource source = DataSourceConnectionSource.of(pool);
        try (ConnectionWorker worker = new ConnectionWorker(
                "test", source, new H2Dialect(), Duration.ofSeconds(5), Ticker.system(), Duration.ZERO)) {
            long first = session(worker);
            Eventually.holds("it has another connection", () -> session(worker) != first);
            Eventually.holds("the old one is back", () -> pool.getActiveConnections() == 1);
            worker.stop();
        }
        Eventually.holds("all are back", () -> pool.getActiveConnections() == 0);
    }

    @Test
    void oldConnectionIsKeptIfThePoolHasNoOther() throws SQLException {
        pool.setMaxConnections(1);
        pool.setLoginTimeout(1);
        try (LogLines log = LogLines.ofHoldfast();
                ConnectionWorker worker = new ConnectionWorker(
                        "test",
                        DataSourceConnectionSource.of(pool),
                        new H2Dialect(),
                        Duration.ofSeconds(5),
                        Ticker.system(),
                        Duration.ZERO)) {
            long first = session(worker);
            Eventually.holds(
                    "it has tried",
                    () -> log.lines().stream().anyMatch(line -> line.contains("could not be exchanged")));
            assertThat(session(worker)).isEqualTo(first);
            worker.stop();
        }
    }

    /** The exchange is the first that waits for the pool, so a worker that has lost its connection may wait for long if it does not use it. */
    @Test
    void connectionThatIsBeingBorrowedReplacesOneThatBreaks() throws SQLException {
        CompletableFuture<Connection> answer = new CompletableFuture<>();
        List<String> borrowers = new CopyOnWriteArrayList<>();
        DataSource slow = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                borrowers.add(Thread.currentThread().getName());
                return borrowers.size() == 2 ? answer.join() : super.getConnection();
            }
        };
        try (ConnectionWorker worker = new ConnectionWorker(
                "test",
                DataSourceConnectionSource.of(slow),
                new H2Dialect(),
                Duration.ofSeconds(5),
                Ticker.system(),
                Duration.ZERO)) {
            session(worker);
            Eventually.holds("an exchange has begun", () -> borrowers.size() == 2);
            CompletableFuture<String> broken = worker.call(ConnectionWorker.Priority.REQUEST, session -> {
                throw new SQLException("broken");
            });
            assertThat(broken).failsWithin(Eventually.LIMIT);
            CompletableFuture<String> next = worker.call(
                    ConnectionWorker.Priority.REQUEST,
                    session -> String.valueOf(Dialect.queryValue(session.connection(), "SELECT 1")));
            answer.complete(pool.getConnection());

            assertThat(next).succeedsWithin(Eventually.LIMIT);
            assertThat(borrowers).containsOnly("test-exchange");
            worker.stop();
        }
    }

    /** Each attempt needs a thread and a line of the log, and blocks a thread in the pool. */
    @Test
    void failedExchangeIsRetriedAMinuteLater() throws SQLException {
        AtomicLong now = new AtomicLong();
        Ticker ticker = new Ticker() {
            @Override
            public long nanos() {
                return now.get();
            }

            @Override
            public long wallMicros() {
                return now.get() / 1_000;
            }
        };
        List<Duration> tries = new CopyOnWriteArrayList<>();
        DataSource exhausted = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                if (now.get() == 0) {
                    return super.getConnection();
                }
                tries.add(Duration.ofNanos(now.get()));
                throw new SQLException("exhausted");
            }
        };
        try (ConnectionWorker worker = new ConnectionWorker(
                "test", DataSourceConnectionSource.of(exhausted), new H2Dialect(), Duration.ofHours(1), ticker)) {
            session(worker);
            Eventually.holds("it has tried several times", () -> {
                now.addAndGet(Duration.ofSeconds(1).toNanos());
                session(worker);
                return tries.size() > 3;
            });
            worker.stop();
        }
        for (int i = 1; i < tries.size(); i++) {
            assertThat(tries.get(i).minus(tries.get(i - 1))).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
        }
    }

    @Test
    void onlyConnectionThatThereIsIsRefused() throws SQLException {
        try (Connection physical = DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID())) {
            DataSource single = new SingleConnectionDataSource(physical, true);

            assertThatThrownBy(() -> open(JdbcStore.leaseTable(single)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("one connection twice");
        }
    }

    /** Wrappers of connections and statements, as of libraries that log statements, return new objects each time. */
    @Test
    void connectionThatIsWrappedTwiceIsRefused() throws SQLException {
        try (Connection physical = DriverManager.getConnection("jdbc:h2:mem:" + UUID.randomUUID())) {
            DataSource wrapping = new DelegatingDataSource(new SingleConnectionDataSource(physical, true)) {
                @Override
                public Connection getConnection() throws SQLException {
                    return wrapper(Connection.class, super.getConnection());
                }
            };

            assertThatThrownBy(() -> open(JdbcStore.leaseTable(wrapping)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("one connection twice");
        }
    }

    private static <T> T wrapper(Class<T> type, T object) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> switch (method.getName()) {
                    case "unwrap" -> object;
                    case "createStatement" -> wrapper(Statement.class, ((Connection) object).createStatement());
                    case "getConnection" -> wrapper(Connection.class, ((Statement) object).getConnection());
                    default -> method.invoke(object, arguments);
                }));
    }

    /** The schema of the table is not the one in which it would be created. */
    @Test
    void tableIsFoundOnTheSearchPath() throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (Connection connection = DriverManager.getConnection(url)) {
            Dialect.execute(connection, "CREATE SCHEMA \"A \"\" b\"");
            Dialect.execute(connection, "SET SCHEMA \"A \"\" b\"");
            new TableSchema(new H2Dialect(), "lease", "holdfast_lease").create(connection);
        }
        String path = url + ";SCHEMA_SEARCH_PATH=\"A \"\" b\"";
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(path)).build()) {
            holdfast.lock("a").run(lease -> assertThat(lease.token()).isPositive());
        }
    }

    @Test
    void transactionOfTheApplicationIsNotCommitted() throws SQLException {
        DataSource aware = new TransactionAwareDataSourceProxy(pool);
        try (Connection connection = pool.getConnection()) {
            Dialect.execute(connection, "CREATE TABLE orders (id INT)");
        }
        new TransactionTemplate(new DataSourceTransactionManager(pool)).executeWithoutResult(transaction -> {
            try (Connection connection = aware.getConnection()) {
                Dialect.execute(connection, "INSERT INTO orders VALUES (1)");
            } catch (SQLException failure) {
                throw new IllegalStateException(failure);
            }

            assertThatThrownBy(() -> open(JdbcStore.leaseTable(aware)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("inside a transaction");

            transaction.setRollbackOnly();
        });
        try (Connection connection = pool.getConnection()) {
            assertThat(Dialect.queryValue(connection, "SELECT COUNT(*) FROM orders"))
                    .isEqualTo("0");
        }
        try (Holdfast holdfast = open(JdbcStore.leaseTable(aware))) {
            holdfast.lock("a").run(lease -> assertThat(lease.token()).isPositive());
        }
    }

    private static long session(ConnectionWorker worker) {
        return Eventually.comes(worker.call(
                ConnectionWorker.Priority.REQUEST,
                session -> Long.parseLong(
                        String.valueOf(Dialect.queryValue(session.connection(), "SELECT SESSION_ID()")))));
    }

    @Test
    void connectionsAreReturnedWithTheirSettings() throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (Connection physical = DriverManager.getConnection(url)) {
            physical.setAutoCommit(false);
            physical.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            SingleConnectionDataSource single = new SingleConnectionDataSource(physical, true);

            try (Session session = DataSourceConnectionSource.of(single).open(Duration.ofSeconds(1))) {
                assertThat(session.connection().getAutoCommit()).isTrue();
                assertThat(physical.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            }

            assertThat(physical.getAutoCommit()).isFalse();
            assertThat(physical.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        }
    }

    /** The driver of H2 ignores abort(), and not every pool rolls back. */
    @Test
    void discardedConnectionIsReturnedWithoutItsTransaction() throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (Connection physical = DriverManager.getConnection(url);
                Connection other = DriverManager.getConnection(url)) {
            Dialect.execute(physical, "CREATE TABLE orders (id INT)");
            physical.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            Session session = DataSourceConnectionSource.of(new SingleConnectionDataSource(physical, true))
                    .open(Duration.ofSeconds(1));
            session.connection().setAutoCommit(false);
            Dialect.execute(session.connection(), "INSERT INTO orders VALUES (1)");

            session.discard();

            assertThat(physical.getAutoCommit()).isTrue();
            assertThat(physical.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(Dialect.queryValue(other, "SELECT COUNT(*) FROM orders")).isEqualTo("0");
        }
    }

    /** Some pools count it as borrowed until it is closed. */
    @Test
    void connectionThatWasAbortedIsReturned() {
        List<String> called = new ArrayList<>();
        Connection aborted = (Connection) Proxy.newProxyInstance(
                SharedPoolTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    called.add(method.getName());
                    return method.getName().equals("isClosed") ? true : null;
                });

        new Session(aborted).close();

        assertThat(called).containsExactly("isClosed", "close");
    }

    @Test
    void connectionToAnUnsupportedDatabaseIsReturned() {
        DataSource unknown = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                DatabaseMetaData about = answering(DatabaseMetaData.class, connection.getMetaData(), "Unheard-of");
                return answering(Connection.class, connection, about);
            }
        };

        assertThatThrownBy(() -> open(JdbcStore.leaseTable(unknown)))
                .hasMessageContaining("Locks on Unheard-of are not supported");

        assertThat(pool.getActiveConnections()).isZero();
    }

    /** The same object, except that its methods with this return type return this value. */
    private static <T> T answering(Class<T> type, T object, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    boolean overridden = method.getName().equals("getMetaData")
                            || method.getName().equals("getDatabaseProductName");
                    return overridden ? answer : method.invoke(object, arguments);
                }));
    }

    private static Holdfast open(JdbcStoreBuilder builder) {
        return Holdfast.builder(builder.createTables()).build();
    }
}
