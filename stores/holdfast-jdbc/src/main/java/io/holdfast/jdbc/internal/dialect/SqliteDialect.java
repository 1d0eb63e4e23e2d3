package io.holdfast.jdbc.internal.dialect;

import io.holdfast.jdbc.internal.UnusableDatabaseException;
import io.holdfast.jdbc.internal.sqlite.SqliteFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** SQLite with a write-ahead log. Only one connection writes at a time, so every statement that writes is atomic. */
public final class SqliteDialect extends Dialect {

    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READ_ONLY = 8;
    private static final int MAX_ATTEMPTS = 50;

    @Override
    public String script() {
        return "sqlite";
    }

    @Override
    public String now() {
        return "CAST(unixepoch('subsec') * 1000000 AS INTEGER)";
    }

    @Override
    public String acquire() {
        return "INSERT INTO holdfast_lease AS l (name, capacity, claim, first_token, last_token, granted_at, ends_at, owner)"
                + " VALUES (?, ?, ?, " + now() + ", " + now() + " + ? - 1, " + now() + ", " + now()
                + " + ?, ?) ON CONFLICT (name) DO UPDATE SET"
                + " capacity = excluded.capacity, claim = excluded.claim,"
                + " first_token = " + token("excluded.granted_at", "excluded.first_token")
                + ", last_token = " + token("excluded.granted_at", "excluded.last_token")
                + ", granted_at = excluded.granted_at, ends_at = excluded.ends_at, owner = excluded.owner,"
                + " next_claim = NULL"
                + " WHERE " + isFree("excluded.claim", "excluded.granted_at")
                + " RETURNING " + columns();
    }

    /** A transaction that writes locks the whole file. */
    @Override
    public String forUpdate() {
        return "";
    }

    @Override
    public String skipLocked() {
        return "";
    }

    @Override
    public String noWait() {
        return "";
    }

    @Override
    public boolean isCollision(SQLException failure) {
        int primary = failure.getErrorCode() & 0xff;
        return super.isCollision(failure) || primary == BUSY || primary == LOCKED;
    }

    @Override
    public SQLException explain(SQLException failure) {
        return (failure.getErrorCode() & 0xff) == READ_ONLY
                ? new UnusableDatabaseException(SqliteFile.readOnly("The database"), failure)
                : failure;
    }

    /** {@link #checkWritable} detects more cases, and says what to do about a file. */
    @Override
    public void checkConnection(Connection connection) {}

    /**
     * By a statement that changes nothing: SQLite does not execute it in a file that it may only read, whereas it begins a transaction there. It
     * does not wait for another writer: if there is one, the file can be written.
     */
    @Override
    public void checkWritable(Connection connection, String table) throws SQLException {
        String busyTimeout = queryValue(connection, "PRAGMA busy_timeout");
        execute(connection, "PRAGMA busy_timeout = 0");
        try {
            execute(connection, "UPDATE " + table + " SET capacity = capacity WHERE name IS NULL");
        } catch (SQLException failure) {
            if (!isCollision(failure)) {
                throw failure;
            }
        } finally {
            execute(connection, "PRAGMA busy_timeout = " + busyTimeout);
        }
    }

    @Override
    public void connectionProperties(Properties properties, Duration timeout) {
        // A transaction locks the file when it begins, or it could fail later because another one has written
        // meanwhile.
        properties.setProperty("transaction_mode", "IMMEDIATE");
        properties.setProperty("busy_timeout", String.valueOf(timeout.toMillis()));
    }

    @Override
    public void setUp(Connection connection, Duration timeout) throws SQLException {
        connection.setAutoCommit(true);
        execute(connection, "PRAGMA busy_timeout = " + timeout.toMillis());
        for (int tries = 1; !writesAhead(connection, tries); tries++) {
            // Unlike the PRAGMA, this waits for the other connection.
            execute(connection, "BEGIN IMMEDIATE");
            execute(connection, "ROLLBACK");
        }
        execute(connection, "PRAGMA synchronous = NORMAL");
        if (queryValue(connection, "SELECT unixepoch('subsec')") == null) {
            throw new SQLException(
                    "This SQLite is older than 3.42, and has no times with fractions of a second. Use a current org.xerial:sqlite-jdbc.");
        }
    }

    /** False if another connection is creating the log of a new file: SQLite does not wait for that, whatever its timeout is. */
    private boolean writesAhead(Connection connection, int tries) throws SQLException {
        try {
            if (!"wal".equalsIgnoreCase(queryValue(connection, "PRAGMA journal_mode = WAL"))) {
                throw new SQLException(
                        "SQLite cannot use a write-ahead log for this file. Use a file on a disk of this machine, not on a network.");
            }
            return true;
        } catch (SQLException failure) {
            if (!isCollision(failure) || tries == MAX_ATTEMPTS) {
                throw failure;
            }
            return false;
        }
    }
}
