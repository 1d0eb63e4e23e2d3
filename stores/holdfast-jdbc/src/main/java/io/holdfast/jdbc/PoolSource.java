package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections of a pool. If the application uses it too, they are borrowed for each request, and given back as they came. */
final class PoolSource implements Source {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    private final DataSource dataSource;
    private final boolean borrowed;

    private PoolSource(DataSource dataSource, boolean borrowed) {
        this.dataSource = dataSource;
        this.borrowed = borrowed;
    }

    /** A pool that the application uses too. */
    static PoolSource shared(DataSource dataSource) {
        return new PoolSource(dataSource, true);
    }

    /** The same pool, for locks alone. */
    PoolSource owned() {
        return new PoolSource(dataSource, false);
    }

    @Override
    public String name() {
        return borrowed ? "jdbc (the DataSource of the application)" : "jdbc (a DataSource for locks)";
    }

    @Override
    public Session open(Duration timeout) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            return borrowed ? borrowed(connection, timeout) : kept(connection, timeout);
        } catch (SQLException failure) {
            connection.close();
            throw failure;
        }
    }

    private static Session kept(Connection connection, Duration timeout) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        dialect.limit(connection, Dialect.limitFor(timeout));
        dialect.setUp(connection, timeout);
        return new Session(connection);
    }

    /** Bounded before anything else, for to ask for the isolation may be to ask the server; and until everything else is undone. */
    private static Session borrowed(Connection connection, Duration timeout) throws SQLException {
        Dialect dialect = Dialect.of(connection);
        int limit = dialect.limitOf(connection);
        dialect.limit(connection, Dialect.limitFor(timeout));
        boolean committing = connection.getAutoCommit();
        int isolation = connection.getTransactionIsolation();
        if (!committing) {
            connection.setAutoCommit(true);
        }
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
        return new Session(connection, () -> {
            if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(isolation);
            }
            if (!committing) {
                connection.setAutoCommit(false);
            }
            dialect.limit(connection, limit);
        });
    }

    @Override
    public boolean isBorrowed() {
        return borrowed;
    }

    @Override
    public @Nullable String objection() {
        return borrowed && Transactions.isInside(dataSource)
                ? "This thread is inside a transaction on the connection pool that the locks use too. When all connections are"
                        + " taken by threads like this one, none of them gets its lock; and what it has read may be older than"
                        + " the lock. Take the lock first and begin the transaction inside, or give Holdfast connections of its"
                        + " own: JdbcStore.leaseTable(url)."
                : null;
    }

    @Override
    public void warn() {
        if (borrowed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Locks use the connection pool of the application. When all of its connections are taken, locks can be"
                            + " neither renewed nor given back, and waiters look for themselves instead of being told. Better:"
                            + " JdbcStore.leaseTable(url), or a small pool of their own with ownPool().");
        }
    }
}
