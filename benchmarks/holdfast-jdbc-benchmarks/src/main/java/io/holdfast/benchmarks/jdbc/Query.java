package io.holdfast.benchmarks.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A connection for those who do not expect it to fail. Used by one thread at a time. */
final class Query implements AutoCloseable {

    private final Connection connection;

    Query(String url) {
        try {
            connection = DriverManager.getConnection(url);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    void execute(String... statements) {
        try (Statement statement = connection.createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The number in the only row. */
    long number(String query) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    PreparedStatement prepare(String sql) {
        try {
            return connection.prepareStatement(sql);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
