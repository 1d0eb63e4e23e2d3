package io.holdfast.soak;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The words of a database for what SQL has no common ones. */
enum Database {
    POSTGRESQL(
            "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
            "SELECT pid, concat_ws(' ', application_name, state, query) FROM pg_stat_activity"
                    + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
            "SELECT pg_terminate_backend(%d, 10000)",
            "BEGIN; LOCK TABLE %s IN ACCESS EXCLUSIVE MODE"),
    MARIADB(
            "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
            "SELECT id, concat_ws(' ', command, state, info) FROM information_schema.processlist"
                    + " WHERE user = 'holdfast' AND id <> CONNECTION_ID()",
            "KILL %d",
            "LOCK TABLES %s WRITE"),
    H2(
            "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)",
            "SELECT session_id, concat_ws(' ', session_state, executing_statement) FROM information_schema.sessions"
                    + " WHERE session_id <> SESSION_ID()",
            "CALL ABORT_SESSION(%d)",
            "SET AUTOCOMMIT FALSE; SELECT name FROM %s FOR UPDATE"),
    SQLITE("CAST(unixepoch('subsec') * 1000000 AS INTEGER)", "", "", "BEGIN IMMEDIATE");

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int NO_SUCH_THREAD = 1094;

    private final String now;
    private final String sessions;
    private final String kill;
    private final String lock;

    Database(String now, String sessions, String kill, String lock) {
        this.now = now;
        this.sessions = sessions;
        this.kill = kill;
        this.lock = lock;
    }

    /**
     * A session of a server.
     *
     * @param id its number
     * @param text what is known of it
     */
    record Session(long id, String text) {}

    /** Microseconds since 1970. */
    String now() {
        return now;
    }

    /** Locks the table until the connection is closed. H2 locks row by row, with a timeout, so it is tried again. */
    void lock(Connection connection, String table) throws SQLException {
        long start = System.nanoTime();
        boolean locked = false;
        while (!locked) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(lock.formatted(table));
                locked = true;
            } catch (SQLException failure) {
                if (this != H2 || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw failure;
                }
                connection.rollback();
            }
        }
    }

    /** All but the one that asks. */
    List<Session> sessions(Connection connection) throws SQLException {
        List<Session> found = new ArrayList<>();
        if (!sessions.isEmpty()) {
            try (Statement statement = connection.createStatement()) {
                if (this == POSTGRESQL) {
                    // In a transaction it would tell again what it has told before.
                    statement.execute("SELECT pg_stat_clear_snapshot()");
                }
                try (ResultSet rows = statement.executeQuery(sessions)) {
                    while (rows.next()) {
                        found.add(new Session(rows.getLong(1), rows.getString(2)));
                    }
                }
            }
        }
        return found;
    }

    /** Ends those sessions, and returns when they have ended. */
    void kill(Connection connection, List<Long> ids) throws SQLException {
        for (long id : ids) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(kill.formatted(id));
            } catch (SQLException failure) {
                if (failure.getErrorCode() != NO_SUCH_THREAD) {
                    throw failure;
                }
            }
        }
        long start = System.nanoTime();
        while (sessions(connection).stream().map(Session::id).anyMatch(ids::contains)) {
            if (System.nanoTime() - start > PATIENCE.toNanos()) {
                throw new IllegalStateException("Sessions that were killed do not end: " + sessions(connection));
            }
            Length.pass(Duration.ofMillis(2));
        }
    }

    static Connection connect(String url) {
        try {
            return DriverManager.getConnection(url);
        } catch (SQLException unreachable) {
            throw new IllegalStateException(unreachable);
        }
    }
}
