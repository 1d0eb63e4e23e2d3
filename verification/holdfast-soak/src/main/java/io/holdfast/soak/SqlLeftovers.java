package io.holdfast.soak;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What is left behind in a database: rows that are in use, rows without an end, session locks, connections. */
final class SqlLeftovers {

    private final Store store;
    private final Database database;
    private final Connection connection;

    private SqlLeftovers(Store store, Database database, Connection connection) {
        this.store = store;
        this.database = database;
        this.connection = connection;
    }

    /** What is left in a database that nobody but the caller uses any more. */
    static List<String> in(Store store, Database database, String url, Duration patience) {
        try (Connection connection = Database.connect(url)) {
            SqlLeftovers leftovers = new SqlLeftovers(store, database, connection);
            return Leftovers.gone(patience, leftovers::look);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private List<String> look() {
        try {
            List<String> left = new ArrayList<>();
            if (database == Database.H2) {
                // After a network timeout, H2's driver leaves the socket to the garbage collector.
                System.gc();
            }
            database.sessions(connection).forEach(each -> left.add("Left connection: " + each));
            switch (store) {
                case REDIS -> throw new IllegalStateException("No database");
                case POSTGRESQL, MARIADB, H2, FILE -> leases(left);
                case POSTGRESQL_SESSIONS ->
                    rows(
                            left,
                            "Left session lock",
                            "SELECT pid, mode, granted FROM pg_locks WHERE locktype = 'advisory'");
                case MARIADB_SESSIONS ->
                    rows(
                            left,
                            "Left session lock",
                            "SELECT name, session, claim FROM holdfast_session WHERE IS_USED_LOCK(lock_key) IS NOT NULL");
            }
            return left;
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A row is swept by the time of its last grant, unless it is in use or kept for somebody. */
    private void leases(List<String> left) throws SQLException {
        String now = database.now();
        rows(left, "In use", "SELECT name, claim, ends_at FROM holdfast_lease WHERE ends_at > " + now);
        rows(left, "In use", "SELECT name, claim, ends_at FROM holdfast_lease_share WHERE ends_at > " + now);
        rows(
                left,
                "Without an end",
                "SELECT name, granted_at, next_until FROM holdfast_lease WHERE granted_at > " + now
                        + " OR next_until > " + now);
    }

    private void rows(List<String> left, String what, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                left.add(what + ": " + rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3));
            }
        }
    }
}
