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
        Session session = new Session(dataSource.getConnection());
        try {
            Dialect dialect = Dialect.of(session.connection());
            if (borrowed) {
                borrow(session, dialect, timeout);
            } else {
                dialect.limit(session.connection(), Dialect.limitFor(timeout));
                dialect.setUp(session.connection(), timeout);
            }
            return session;
        } catch (SQLException | RuntimeException | Error failure) {
            session.closeAfter(failure);
            throw failure;
        }
    }

    /** Bounded before anything else, for to ask for the isolation may be to ask the server; and until everything else is undone. */
    private static void borrow(Session session, Dialect dialect, Duration timeout) throws SQLException {
        Connection connection = session.connection();
        int limit = dialect.limitOf(connection);
        dialect.limit(connection, Dialect.limitFor(timeout));
        session.endWith(() -> dialect.limit(connection, limit));
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
            session.endWith(() -> connection.setAutoCommit(false));
        }
        int isolation = connection.getTransactionIsolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            session.endWith(() -> connection.setTransactionIsolation(isolation));
        }
        session.beginWith(() -> dialect.bound(session, timeout));
    }

    @Override
    public boolean isBorrowed() {
        return borrowed;
    }

    @Override
    public boolean hasOwnSessions() {
        return !borrowed;
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
