package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** One connection, used by one thread at a time, with the statements that it has prepared. */
final class Session implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private final End end;

    Session(Connection connection) {
        this(connection, () -> {});
    }

    /** @param end puts the connection into the state that it came in, before it is closed */
    Session(Connection connection, End end) {
        this.connection = connection;
        this.end = end;
    }

    /** What to do last. */
    @FunctionalInterface
    interface End {
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

    PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        return statement;
    }

    /**
     * All of it, or nothing. It is committed by what ends it: one round trip less, and the driver of SQLite begins another
     * transaction after a commit(), which may fail although the first one is through.
     */
    <T> T inTransaction(Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            result = work.on(this);
        } catch (SQLException | RuntimeException | Error failure) {
            rollBack(failure);
            throw failure;
        }
        connection.setAutoCommit(true);
        return result;
    }

    private void rollBack(Throwable failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException alsoThat) {
            failure.addSuppressed(alsoThat);
        }
    }

    @Override
    public void close() throws SQLException {
        try (Connection closing = connection) {
            if (!closing.isClosed()) {
                // Not every pool does it.
                for (PreparedStatement statement : prepared.values()) {
                    statement.close();
                }
                end.run();
            }
        }
    }
}
