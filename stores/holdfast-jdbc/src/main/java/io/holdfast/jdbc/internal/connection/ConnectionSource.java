package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Opens connections to the database: by a URL, or from a {@code DataSource}. */
public abstract class ConnectionSource {

    private static final System.Logger LOG = StoreLog.LOGGER;

    private final String name;
    /** Whether a pooler between this process and the server may use another session for each transaction of a connection. */
    private final boolean transactionPooling;

    ConnectionSource(String name, boolean transactionPooling) {
        this.name = name;
        this.transactionPooling = transactionPooling;
    }

    /** What to call the database in messages; without credentials. */
    public final String name() {
        return name;
    }

    /** A new connection, as the driver or the pool returns it. */
    abstract Connection connect(Duration timeout) throws SQLException;

    /** Sets the network timeout of a connection; and has it restored when it is closed, if the application uses it later. */
    void configure(Session session, Dialect dialect, Duration timeout) throws SQLException {
        Dialect.limit(session.connection(), Dialect.networkTimeoutFor(timeout));
    }

    /** Opens a connection, or borrows one. */
    public Session open(Duration timeout) throws SQLException {
        Session session = new Session(connect(timeout));
        try {
            Dialect dialect = Dialect.of(session.connection());
            configure(session, dialect, timeout);
            if (transactionPooling) {
                // The session of the server is next used by another client, perhaps the application: no setting is
                // changed.
                dialect.disableServerPrepare(session.connection());
                session.startTransactionsWith(dialect.bounds(timeout));
            } else {
                dialect.setUp(session.connection(), timeout);
            }
            return session;
        } catch (SQLException | RuntimeException | Error failure) {
            session.discard();
            throw failure;
        }
    }

    /** The same source, used as behind a pooler in transaction mode. */
    abstract ConnectionSource withTransactionPooling();

    /** Checks the server, and whether there is a pooler before it. Returns the source as a store has to use it. */
    public ConnectionSource resolve(Duration timeout) throws SQLException {
        ConnectionSource careful = withTransactionPooling();
        try (Session one = careful.open(timeout)) {
            Dialect dialect = Dialect.of(one.connection());
            dialect.checkServer(one.connection(), name);
            if (dialect.bounds(timeout) == null) {
                return this;
            }
            try (Session other = careful.open(timeout)) {
                return dialect.swapsSessions(one.connection(), other.connection()) ? careful : this;
            }
        }
    }

    /** Whether every connection has a session of the server for itself, for as long as it is open. */
    public final boolean hasDedicatedSessions() {
        return !transactionPooling;
    }

    /** Whether the connections belong to a pool, so that they are exchanged from time to time. */
    public boolean isPool() {
        return false;
    }

    /** Is called after the last connection was closed. */
    public void close() {}

    public final void logWarnings() {
        if (transactionPooling) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    name
                            + ": a pooler in transaction mode is between Holdfast and the database. So waiters poll instead of being"
                            + " notified, and every statement is a transaction of several round trips. Locks are safe, but slower."
                            + " Connect to the server itself if you can.");
        }
    }
}
