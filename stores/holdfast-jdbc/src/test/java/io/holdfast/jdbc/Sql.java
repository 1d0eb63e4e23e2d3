package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Executes statements for a test, or for a naive lock. */
final class Sql implements AutoCloseable {

    private final Connection connection;

    Sql(Connection connection) {
        this.connection = connection;
    }

    static Sql at(String url) {
        try {
            return new Sql(DriverManager.getConnection(url));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    Connection connection() {
        return connection;
    }

    /** How many rows it changes. */
    int update(String statement, Object... parameters) {
        try {
            return tryUpdate(statement, parameters);
        } catch (SQLException failure) {
            throw new IllegalStateException(statement, failure);
        }
    }

    int tryUpdate(String statement, Object... parameters) throws SQLException {
        try (PreparedStatement prepared = prepare(statement, parameters)) {
            return prepared.executeUpdate();
        }
    }

    /** The first column of the first row; 0 if it is null or there is no row. */
    long number(String query, Object... parameters) {
        try (PreparedStatement prepared = prepare(query, parameters);
                ResultSet rows = prepared.executeQuery()) {
            return rows.next() ? rows.getLong(1) : 0;
        } catch (SQLException failure) {
            throw new IllegalStateException(query, failure);
        }
    }

    /** The first column of the first row, which must be there. */
    String text(String query) {
        try (PreparedStatement prepared = prepare(query);
                ResultSet rows = prepared.executeQuery()) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException failure) {
            throw new IllegalStateException(query, failure);
        }
    }

    private PreparedStatement prepare(String statement, Object... parameters) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(statement);
        for (int i = 0; i < parameters.length; i++) {
            prepared.setObject(i + 1, parameters[i]);
        }
        return prepared;
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
