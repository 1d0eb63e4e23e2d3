package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** A named lock of the database, on any connection of the application; from the articles. */
final class NaiveNamedLock {

    private NaiveNamedLock() {}

    static boolean tryLock(Connection connection, String key) throws SQLException {
        return new Sql(connection)
                        .number(
                                isPostgres(connection)
                                        ? "SELECT pg_try_advisory_lock(hashtext(?))::int"
                                        : "SELECT GET_LOCK(?, 0)",
                                key)
                == 1;
    }

    /** With a timeout of MySQL and MariaDB, and without a check of the result. */
    static void lock(Connection connection, String key, int timeout) {
        new Sql(connection).number("SELECT GET_LOCK(?, ?)", key, timeout);
    }

    /** Without a check of the result. */
    static void unlock(Connection connection, String key) throws SQLException {
        new Sql(connection)
                .number(
                        isPostgres(connection)
                                ? "SELECT pg_advisory_unlock(hashtext(?))::int"
                                : "SELECT RELEASE_LOCK(?)",
                        key);
    }

    private static boolean isPostgres(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
    }
}
