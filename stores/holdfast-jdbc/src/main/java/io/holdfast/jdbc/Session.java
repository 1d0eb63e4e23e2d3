package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;

/** One connection, used by one thread at a time, with the statements that it has prepared. */
final class Session implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private Step beginning = () -> {};
    private boolean bounded;
    private Step ending = () -> {};
    private boolean inside;

    Session(Connection connection) {
        this.connection = connection;
    }

    /** Something to do. */
    @FunctionalInterface
    interface Step {
        void run() throws SQLException;
    }

    /** Something to do on a connection. */
    @FunctionalInterface
    interface Work<T> {
        T on(Session session) throws SQLException;
    }

    Connection connection() {
        return connection;
    }

    /** What every transaction begins with. */
    void beginWith(Step step) {
        beginning = step;
        bounded = true;
    }

    /** What puts the connection into the state that it came in. */
    void endWith(Step step) {
        ending = step;
    }

    /** The same as {@link #prepare}, for a statement of which the server returns a number. */
    PreparedStatement prepareWithKey(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
            prepared.put(sql, statement);
        }
        return statement;
    }

    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    /**
     * A statement by itself. Where {@link #beginWith} was said, it takes a transaction: else it would wait for a locked row for as long as
     * the server lets it.
     */
    <T> T alone(Work<T> work) throws SQLException {
        return bounded ? inTransaction(work) : work.on(this);
    }

    /**
     * All of it, or nothing. It is committed by what ends it: one round trip less, and the driver of SQLite begins another
     * transaction after a commit(), which may fail although the first one is through.
     */
    <T> T inTransaction(Work<T> work) throws SQLException {
        inside = true;
        connection.setAutoCommit(false);
        T result;
        try {
            beginning.run();
            result = work.on(this);
        } catch (SQLException | RuntimeException | Error failure) {
            try {
                rollBack();
            } catch (SQLException alsoThat) {
                failure.addSuppressed(alsoThat);
            }
            throw failure;
        }
        connection.setAutoCommit(true);
        inside = false;
        return result;
    }

    private void rollBack() throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
        inside = false;
    }

    @Override
    public void close() throws SQLException {
        try (Connection closing = connection) {
            if (!closing.isClosed()) {
                undo();
            }
        }
    }

    private void undo() throws SQLException {
        try {
            if (inside && !connection.getAutoCommit()) {
                rollBack();
            }
            // Not every pool does it.
            for (PreparedStatement statement : prepared.values()) {
                statement.close();
            }
            ending.run();
        } catch (SQLException | RuntimeException failure) {
            // Nobody shall get it from a pool in a state that nobody knows.
            connection.abort(Runnable::run);
            throw failure;
        }
    }

    /** Closes it because of that failure. */
    void closeAfter(Throwable failure) {
        try {
            close();
        } catch (SQLException | RuntimeException alsoThat) {
            failure.addSuppressed(alsoThat);
        }
    }

    void closeQuietly() {
        try {
            close();
        } catch (SQLException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be closed", failure);
        }
    }

    /** Cuts it off. A pool that it came from removes it: nobody shall get a connection in doubt. */
    void discard() {
        try (Connection closing = connection) {
            closing.abort(Runnable::run);
        } catch (SQLException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A connection could not be cut off", failure);
        }
    }

    /** Cuts it off because of that failure. */
    void discard(Throwable failure) {
        try (Connection closing = connection) {
            closing.abort(Runnable::run);
        } catch (SQLException | RuntimeException alsoThat) {
            failure.addSuppressed(alsoThat);
        }
    }
}
