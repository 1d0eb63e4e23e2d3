package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.DatabaseAvailability;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.SqlAction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections of the application's {@link DataSource}. They are borrowed when the store is opened and kept, so that locks are renewed and
 * released while the application has exhausted the pool. The threads that use them exchange them from time to time.
 */
public final class DataSourceConnectionSource extends ConnectionSource {

    /** How long a connection is kept: less than pools let one live. */
    public static final Duration MAX_LIFETIME = Duration.ofMinutes(5);

    private final DataSource dataSource;
    private final Deque<Session> borrowed = new ConcurrentLinkedDeque<>();

    private DataSourceConnectionSource(DataSource dataSource, boolean transactionPooling) {
        super("jdbc (the application's DataSource)", transactionPooling);
        this.dataSource = dataSource;
    }

    public static DataSourceConnectionSource of(DataSource dataSource) {
        return new DataSourceConnectionSource(dataSource, false);
    }

    @Override
    ConnectionSource withTransactionPooling() {
        return new DataSourceConnectionSource(dataSource, true);
    }

    /**
     * Refuses a source that lends one connection twice at the same time: a store would commit a transaction of the application. This is
     * checked before a connection is set up, for that commits too.
     */
    @Override
    public ConnectionSource resolve(Duration timeout) throws SQLException {
        try (Connection one = connect(timeout)) {
            if (isLentTwice(one, timeout)) {
                throw new IllegalStateException(
                        "The DataSource returned one connection twice at the same time, so a lock would commit transactions of the"
                                + " application. Either it has only one connection (SingleConnectionDataSource), or the store is opened inside"
                                + " a transaction whose connection it returns (TransactionAwareDataSourceProxy). Open the store on the"
                                + " connection pool itself.");
            }
        }
        ConnectionSource resolved = super.resolve(timeout);
        // Each store of a builder keeps its own connections.
        return resolved == this ? of(dataSource) : resolved;
    }

    /** Whether the source returns the same connection again, perhaps in another wrapper. */
    private boolean isLentTwice(Connection one, Duration timeout) throws SQLException {
        try (Connection other = connect(timeout);
                Statement ofOne = one.createStatement();
                Statement ofOther = other.createStatement()) {
            Connection known = connectionOf(ofOne);
            return known != null && known == connectionOf(ofOther);
        } catch (SQLException none) {
            if (DatabaseAvailability.isUnavailable(none) && !DatabaseAvailability.isUnavailableBehindPool(none)) {
                throw new IllegalStateException(
                        "The DataSource has only 1 connection left (" + none.getMessage()
                                + "). Locks and the application need more. Raise the maximum size of the pool, or use a URL:"
                                + " JdbcStore.leaseTable(url).",
                        none);
            }
            return false;
        }
    }

    /** The connection of the driver, if wrappers allow. */
    private static @Nullable Connection connectionOf(Statement statement) throws SQLException {
        try {
            return statement.unwrap(Statement.class).getConnection();
        } catch (SQLException | RuntimeException | AbstractMethodError wrapped) {
            return statement.getConnection();
        }
    }

    @Override
    Connection connect(Duration timeout) throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (RuntimeException failure) {
            // A pool that connects when it is first used may say so by an exception of its own.
            if (DatabaseAvailability.isUnavailable(failure)) {
                throw new SQLTransientException("The DataSource has no connection: " + failure.getMessage(), failure);
            }
            throw failure;
        }
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        Session session = borrowed.poll();
        return session != null ? session : super.open(timeout);
    }

    /** Has the connection restored: not every pool does it, and none restores the settings of the server's session. */
    @Override
    void configure(Session session, Dialect dialect, Duration timeout) throws SQLException {
        Connection connection = session.connection();
        int limit = connection.getNetworkTimeout();
        super.configure(session, dialect, timeout);
        SqlAction prepared = dialect.restoringServerPrepare(connection);
        boolean autoCommit = connection.getAutoCommit();
        int isolation = connection.getTransactionIsolation();
        connection.setAutoCommit(true);
        String query = hasDedicatedSessions() ? dialect.restoringSettings() : null;
        String settings = query == null ? null : Dialect.queryValue(connection, query);
        session.restoreBeforeClosing(() -> {
            if (settings != null) {
                Dialect.execute(connection, settings);
            }
            if (connection.getTransactionIsolation() != isolation) {
                connection.setTransactionIsolation(isolation);
            }
            connection.setAutoCommit(autoCommit);
            prepared.run();
            Dialect.limit(connection, limit);
        });
    }

    /**
     * Borrows as many connections as the store keeps, and one more to check that there is one for the application.
     *
     * @param forNotifications whether one of them is for notifications
     * @throws IllegalStateException if the pool has fewer
     * @throws SQLException if the database is unavailable
     */
    public void borrow(int statements, boolean forNotifications, Duration timeout) throws SQLException {
        int kept = statements + (forNotifications ? 1 : 0);
        Deque<Session> all = new ArrayDeque<>();
        try {
            while (all.size() <= kept) {
                all.add(super.open(timeout));
            }
        } catch (SQLException | RuntimeException failure) {
            all.forEach(Session::close);
            if (failure instanceof SQLException known && DatabaseAvailability.isUnavailableBehindPool(known)) {
                throw known;
            }
            throw new IllegalStateException(
                    "The DataSource has only " + all.size() + " connections left (" + failure.getMessage()
                            + "). Locks keep " + kept + " of them: " + statements + " for statements"
                            + (forNotifications ? ", 1 for notifications" : "")
                            + "; and the application needs at least 1. Raise the maximum size of the pool to "
                            + (kept + 1)
                            + " or more, or use a URL: JdbcStore.leaseTable(url).",
                    failure);
        }
        all.removeLast().close();
        borrowed.addAll(all);
    }

    @Override
    public boolean isPool() {
        return true;
    }

    @Override
    public void close() {
        for (Session session = borrowed.poll(); session != null; session = borrowed.poll()) {
            session.close();
        }
    }
}
