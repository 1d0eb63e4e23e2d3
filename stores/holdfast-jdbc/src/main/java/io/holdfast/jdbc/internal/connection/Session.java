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

/** A connection with the statements that were prepared on it. Used by one thread at a time. */
public final class Session implements AutoCloseable {

    private static final System.Logger LOG = StoreLog.LOGGER;

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private @Nullable String beginning;
    private SqlAction ending = () -> {};

    public Session(Connection connection) {
        this.connection = connection;
    }

    /** A request to execute on a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Session session) throws SQLException;
    }

    public Connection connection() {
        return connection;
    }

    /** Sets a statement with which every transaction begins, also that of a single statement. */
    void startTransactionsWith(@Nullable String sql) {
        beginning = sql;
    }

    /** Sets what restores the connection before it is closed. */
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
     * Executes a single statement. With {@link #startTransactionsWith} it is executed in a transaction: else it would wait for a locked row for
     * as long as the server allows.
     */
    public <T> T singleStatement(Work<T> work) throws SQLException {
        checkNoTransaction();
        return beginning == null ? work.on(this) : inTransaction(work);
    }

    /**
     * Executes the work in a transaction. It is committed by setAutoCommit(true): one round trip less, and the driver of SQLite begins another
     * transaction after a commit(), which may fail although the first one is committed.
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
     * Fails after a transaction that could not begin or end. SQLite's driver treats a transaction that could not begin as begun: the next one
     * would be no transaction, and what its statements read could have changed before they write. Callers may catch a lock conflict and
     * continue, so this failure is not reported as one.
     */
    private void checkNoTransaction() throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new SQLException(
                    "An earlier transaction of this connection could not begin or end, so the connection is closed.");
        }
    }

    /** Restores and closes the connection. If it cannot be restored, it is aborted first, so that no pool lends it again. */
    @Override
    public void close() {
        try {
            if (!connection.isClosed()) {
                restore();
            }
            // Also if it was aborted: its pool counts it as borrowed until then.
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
        // Not every pool closes them.
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        ending.run();
    }

    /**
     * Aborts and closes the connection, whose state is unknown. A pool then evicts it, unless the driver ignores the abort, as that of H2 does:
     * then the connection is restored, because the pool lends it again.
     *
     * @return whether it was restored
     */
    public boolean discard() {
        abort();
        try (connection) {
            boolean ignoresAbort = !connection.isClosed();
            if (ignoresAbort) {
                restore();
            }
            return ignoresAbort;
        } catch (SQLException | RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be closed", failure);
            return false;
        }
    }

    /** Aborts the statement that is executed, and the connection. May be called by any thread. */
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be aborted", failure);
        }
    }
}
