package io.holdfast.jdbc;

import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.ServerClock;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The servers of the fault tests, and the statements of an administrator on them. */
enum Database {
    POSTGRES {
        @Override
        SqlServer start(String... settings) {
            return PostgresServer.start(settings);
        }

        @Override
        SqlServer startWithClock(ServerClock clock) {
            return PostgresServer.startWithClock(clock);
        }

        @Override
        String url(SqlServer server, int port) {
            return server.url(port) + "&prepareThreshold=0";
        }

        @Override
        String sessions(String which) {
            String what = which.equals(LISTENING) ? "query LIKE 'LISTEN%'" : "query LIKE '%" + which + "%'";
            return "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'holdfast'"
                    + " AND backend_type = 'client backend' AND " + what;
        }

        @Override
        String end(long session) {
            return "SELECT pg_terminate_backend(" + session + ")";
        }

        @Override
        String[] secretive(String password) {
            return new String[] {
                "CREATE ROLE secretive LOGIN PASSWORD '" + password + "'",
                "GRANT ALL ON SCHEMA public TO secretive",
                // Clients that connect next are accepted by this line.
                "DO $$ BEGIN EXECUTE format('COPY (VALUES (''host all secretive 127.0.0.1/32 scram-sha-256''),"
                        + " (''host all all 127.0.0.1/32 trust'')) TO %L', current_setting('hba_file')); END $$",
                "SELECT pg_reload_conf()"
            };
        }

        @Override
        String[] reader(String table, String password) {
            return new String[] {
                "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD '" + password
                        + "'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                "GRANT SELECT ON " + table + ", " + table + "_layout TO reader"
            };
        }

        @Override
        String sessionsOf(String user) {
            return "SELECT pid FROM pg_stat_activity WHERE usename = '" + user + "'";
        }

        @Override
        String rotated(String password) {
            return "ALTER ROLE secretive PASSWORD '" + password + "'";
        }

        @Override
        SqlServer startWithAdministrator(Path folder) {
            return start();
        }

        @Override
        Admin administrator(SqlServer server) {
            return admin(server);
        }

        @Override
        String[] readOnly() {
            return new String[] {"ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"};
        }

        @Override
        String[] writable() {
            return new String[] {
                "SET default_transaction_read_only = off",
                "ALTER SYSTEM RESET default_transaction_read_only",
                "SELECT pg_reload_conf()"
            };
        }

        @Override
        String settingsOfSession() {
            return "SELECT count(*) FROM pg_settings WHERE setting <> reset_val AND name LIKE '%timeout'";
        }

        @Override
        String integers(int first, int last) {
            return "SELECT i FROM generate_series(" + first + ", " + last + ") i";
        }

        @Override
        String holders() {
            return "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted";
        }

        @Override
        String lockWaits() {
            return "SELECT (extract(epoch FROM query_start) * 1000000)::bigint FROM pg_stat_activity"
                    + " WHERE wait_event_type = 'Lock' AND datname = current_database()";
        }

        @Override
        String waiters() {
            return "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        }
    },

    MARIADB {
        @Override
        SqlServer start(String... settings) {
            return MariaDbServer.start(settings);
        }

        @Override
        SqlServer startWithClock(ServerClock clock) {
            return MariaDbServer.startWithClock(clock);
        }

        @Override
        String url(SqlServer server, int port) {
            return server.url(port) + "&useServerPrepStmts=false";
        }

        /** The server does not show what a session has done before, only that it sleeps. */
        @Override
        String sessions(String which) {
            return "SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'holdfast'"
                    + " AND IFNULL(info, '') LIKE '%" + which + "%'";
        }

        @Override
        String end(long session) {
            return "KILL " + session;
        }

        @Override
        String[] secretive(String password) {
            return new String[] {
                "CREATE USER secretive@'%' IDENTIFIED BY '" + password + "'", "GRANT ALL ON holdfast.* TO secretive@'%'"
            };
        }

        @Override
        String[] reader(String table, String password) {
            return new String[] {
                "CREATE USER IF NOT EXISTS reader@'%' IDENTIFIED BY '" + password + "'",
                "GRANT SELECT ON holdfast." + table + " TO reader@'%'",
                "GRANT SELECT ON holdfast." + table + "_layout TO reader@'%'"
            };
        }

        @Override
        String sessionsOf(String user) {
            return "SELECT id FROM information_schema.processlist WHERE user = '" + user + "'";
        }

        @Override
        String rotated(String password) {
            return "ALTER USER secretive@'%' IDENTIFIED BY '" + password + "'";
        }

        /** The server creates the user when it starts. */
        @Override
        SqlServer startWithAdministrator(Path folder) {
            try {
                Path script = Files.writeString(
                        folder.resolve("administrator.sql"),
                        "GRANT ALL ON *.* TO boss@'%' IDENTIFIED BY 'boss' WITH GRANT OPTION;\n");
                return MariaDbServer.start("init-file=" + script);
            } catch (IOException unwritable) {
                throw new UncheckedIOException(unwritable);
            }
        }

        @Override
        Admin administrator(SqlServer server) {
            return new Admin(this, server.url().replace("user=holdfast&password=holdfast", "user=boss&password=boss"));
        }

        @Override
        String[] readOnly() {
            return new String[] {"SET GLOBAL read_only = 1"};
        }

        @Override
        String[] writable() {
            return new String[] {"SET GLOBAL read_only = 0"};
        }

        @Override
        String settingsOfSession() {
            return "SELECT (@@innodb_lock_wait_timeout <> @@GLOBAL.innodb_lock_wait_timeout)"
                    + " + (@@lock_wait_timeout <> @@GLOBAL.lock_wait_timeout)"
                    + " + (@@idle_transaction_timeout <> @@GLOBAL.idle_transaction_timeout)";
        }

        @Override
        String integers(int first, int last) {
            return "SELECT seq AS i FROM seq_" + first + "_to_" + last;
        }

        @Override
        String holders() {
            return "SELECT session FROM holdfast_session WHERE IS_USED_LOCK(lock_key) = session";
        }

        @Override
        String lockWaits() {
            // innodb_trx is cached for sessions that read it often.
            return "SELECT query_id FROM information_schema.processlist WHERE user = 'holdfast' AND command <> 'Sleep'"
                    + " AND time_ms > 200 AND info LIKE '%holdfast_lease%'";
        }

        @Override
        String waiters() {
            return "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT GET_LOCK%' AND state LIKE 'User lock%'";
        }
    };

    /** The connection on which a process receives notifications. */
    static final String LISTENING = "LISTEN";

    abstract SqlServer start(String... settings);

    abstract SqlServer startWithClock(ServerClock clock);

    /** With a user that has all privileges; the folder may be used for it. */
    abstract SqlServer startWithAdministrator(Path folder);

    abstract Admin administrator(SqlServer server);

    /** With the text of every statement on the wire, however often it is sent. */
    abstract String url(SqlServer server, int port);

    /** Sessions other than the one of the query, by a text in their present or last statement. */
    abstract String sessions(String which);

    abstract String end(long session);

    /** Makes the server read-only. */
    abstract String[] readOnly();

    abstract String[] writable();

    /** How many timeouts of the session differ from the defaults. */
    abstract String settingsOfSession();

    /** A query for all integers from the first to the last, as {@code i}. */
    abstract String integers(int first, int last);

    /** Sessions that have a session lock. */
    abstract String holders();

    /** Sessions that wait for a session lock. */
    abstract String waiters();

    /** A number for each statement that waits for a row which another session has locked. */
    abstract String lockWaits();

    /** Creates a user of that name, with this password. */
    abstract String[] secretive(String password);

    /** Creates a user that may read that table, and not write it. */
    abstract String[] reader(String table, String password);

    /** Sessions of that user. */
    abstract String sessionsOf(String user);

    /** Gives that user another password. */
    abstract String rotated(String password);

    /** The URL of the server without user and password. */
    static String bare(SqlServer server) {
        return server.url().split("\\?", -1)[0];
    }

    static String url(SqlServer server, String user, String password) {
        return bare(server) + "?user=" + user + "&password=" + password;
    }

    final String url(SqlServer server) {
        return url(server, server.port());
    }

    final Admin admin(SqlServer server) {
        return new Admin(this, server.url());
    }

    /** A connection of an administrator. */
    static final class Admin implements AutoCloseable {

        private final Database database;
        private final Connection connection;

        private Admin(Database database, String url) {
            this.database = database;
            List<Connection> opened = new ArrayList<>();
            // A user that is created when the server starts may be unknown for a moment.
            Eventually.holds("the administrator is let in", () -> {
                try {
                    return opened.add(DriverManager.getConnection(url));
                } catch (SQLException notYet) {
                    return false;
                }
            });
            this.connection = opened.get(0);
        }

        void execute(String... statements) {
            try (Statement statement = connection.createStatement()) {
                for (String each : statements) {
                    statement.execute(each);
                }
            } catch (SQLException failure) {
                throw new AssertionError(failure);
            }
        }

        List<Long> numbers(String query, Object... parameters) {
            try (PreparedStatement statement = connection.prepareStatement(query)) {
                for (int i = 0; i < parameters.length; i++) {
                    statement.setObject(i + 1, parameters[i]);
                }
                List<Long> numbers = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        numbers.add(rows.getLong(1));
                    }
                }
                return numbers;
            } catch (SQLException failure) {
                throw new AssertionError(failure);
            }
        }

        long number(String query, Object... parameters) {
            return numbers(query, parameters).get(0);
        }

        List<Long> sessions() {
            return numbers(database.sessions(""));
        }

        List<Long> sessions(String which) {
            return numbers(database.sessions(which));
        }

        List<Long> holders() {
            return numbers(database.holders());
        }

        List<Long> waiters() {
            return numbers(database.waiters());
        }

        /** Ends these sessions, as an administrator does who finds them in the way. */
        void end(List<Long> sessions) {
            sessions.forEach(session -> execute(database.end(session)));
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException goneAlready) {
                // The server may have been killed.
            }
        }
    }
}
