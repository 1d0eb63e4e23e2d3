package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Connections that are borrowed from a {@link DataSource} of the application for each request. */
final class PoolSource implements Source {

    private final DataSource dataSource;

    PoolSource(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public String name() {
        return "jdbc (a DataSource of the application)";
    }

    @Override
    public Connection open(Duration timeout) throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            connection.setAutoCommit(true);
            return connection;
        } catch (SQLException failure) {
            connection.close();
            throw failure;
        }
    }

    @Override
    public boolean isBorrowed() {
        return true;
    }
}
