package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.SqlAction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One connection, used by one thread at a time, with the statements that it has prepared. */
public final class Session implements AutoCloseable {

    private static final System.Logger LOG = StoreLog.LOGGER;

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private @Nullable String beginning;
    private SqlAction ending = () -> {};

    public Session(Connection connection) {
        this.connection = connection;
    }

    /** Something to do on a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Session session) throws SQLException;
    }

    public Connection connection() {
        return connection;
    }

    /** A statement that every transaction begins with, also that of a single statement. */
    void startTransactionsWith(@Nullable String sql) {
        beginning = sql;
    }

    /** What restores the connection before it is closed. */
    public void restoreBeforeClosing(SqlAction step) {
        ending = step;
    }

    public PreparedStatement prepare(String sql) throws SQLException {
        return prepare(sql, Statement.NO_GENERATED_KEYS);
    }

    /** The same as {@link #prepare}, for a statement of which the server returns a number. */
    public PreparedStatement prepareWithKey(String sql) throws SQLException {
        return prepare(sql, Statement.RETURN_GENERATED_KEYS);
    }

    private PreparedStatement prepare(String sql, int keys) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql, keys);
            prepared.put(sql, statement);
        }
        return statement;
    }

    /**
     * A statement by itself. Where there is {@link #startTransactionsWith}, it takes a transaction: else it would wait for a locked row for as long as
     * the server lets it.
     */
    public <T> T singleStatement(Work<T> work) throws SQLException {
        checkNoTransaction();
        return beginning == null ? work.on(this) : inTransaction(work);
    }

    /**
     * All of it, or nothing. It is committed by what ends it: one round trip less, and the driver of SQLite begins another
     * transaction after a commit(), which may fail although the first one is through.
     */
    public <T> T inTransaction(Work<T> work) throws SQLException {
        checkNoTransaction();
        connection.setAutoCommit(false);
        T result;
        try {
            if (beginning != null) {
                Dialect.execute(connection, beginning);
            }
            result = work.on(this);
        } catch (SQLException | RuntimeException | Error failure) {
            try {
                connection.rollback();
                connection.setAutoCommit(true);
            } catch (SQLException alsoThat) {
                failure.addSuppressed(alsoThat);
            }
            throw failure;
        }
        connection.setAutoCommit(true);
        return result;
    }

    /**
     * Fails after a transaction that could not begin or end. SQLite's driver takes one that could not begin for begun: the next would
     * be no transaction, and what its statements read could have changed before they write. Callers may catch a lock conflict and
     * continue, so this failure is none.
     */
    private void checkNoTransaction() throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new SQLException(
                    "An earlier transaction of this connection could not begin or end, so it is not used again.");
        }
    }

    /** Restores and closes the connection. One that cannot be restored is aborted first: no pool may lend it again. */
    @Override
    public void close() {
        try {
            if (!connection.isClosed()) {
                restore();
            }
            // Also if it was aborted: its pool counts it until then.
            connection.close();
        } catch (SQLException | RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be restored or closed, and is aborted", failure);
            var unused = discard();
        }
    }

    private void restore() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        // Not every pool does it.
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        ending.run();
    }

    /**
     * Aborts and closes the connection, whose state is unknown. A pool removes it, unless the driver ignores the abort, as that of H2 does: then
     * the connection is restored, because the pool lends it again.
     *
     * @return whether it was restored
     */
    public boolean discard() {
        abort();
        try (connection) {
            boolean goesOn = !connection.isClosed();
            if (goesOn) {
                restore();
            }
            return goesOn;
        } catch (SQLException | RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be closed", failure);
            return false;
        }
    }

    /** Ends what the connection is doing, on any thread. */
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be aborted", failure);
        }
    }
}
