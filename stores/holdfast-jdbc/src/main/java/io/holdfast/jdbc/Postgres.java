package io.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.postgresql.PGConnection;

/** PostgreSQL: waiters are told by NOTIFY. */
final class Postgres extends Dialect {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());
    private static final String DEADLOCK = "40P01";
    private static final String LOCK_TIMEOUT = "55P03";

    /*
     * One statement, so that looking and taking cannot be apart: the row is locked before the conditions are looked at, and
     * they are looked at in its newest version. A claim that does not get the name leaves word in the row, in the same step,
     * that somebody waits; so a release that comes later tells, and one that came before has made the name free.
     */
    private static final String FREE = "l.ends_at <= excluded.granted_at AND (l.next_claim IS NULL"
            + " OR l.next_claim = excluded.claim OR l.next_until <= excluded.granted_at)"
            + " AND (l.ended IS NULL OR l.ended NOT LIKE '%' || excluded.claim || '@%')";

    @Override
    String script() {
        return "postgresql";
    }

    @Override
    String now() {
        return "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint";
    }

    @Override
    String take() {
        return "INSERT INTO holdfast_lease AS l (name, capacity, claim, first_token, last_token, granted_at, ends_at, owner,"
                + " awaited_until) VALUES (?, ?, ?, " + now() + ", " + now() + " + ? - 1, " + now() + ", " + now()
                + " + ?, ?, " + now() + " + ?) ON CONFLICT (name) DO UPDATE SET "
                + when("capacity", "excluded.capacity") + ", "
                + when("claim", "excluded.claim") + ", "
                + when("first_token", token("excluded.first_token")) + ", "
                + when("last_token", token("excluded.last_token")) + ", "
                + when("granted_at", "excluded.granted_at") + ", "
                + when("ends_at", "excluded.ends_at") + ", "
                + when("owner", "excluded.owner") + ", "
                + when("next_claim", "NULL") + ", "
                + "awaited_until = CASE WHEN " + FREE
                + " THEN l.awaited_until ELSE greatest(l.awaited_until, excluded.awaited_until) END"
                + " RETURNING " + columns();
    }

    private static String when(String column, String taken) {
        return column + " = CASE WHEN " + FREE + " THEN " + taken + " ELSE l." + column + " END";
    }

    private static String token(String block) {
        return "CASE WHEN l.last_token >= excluded.granted_at THEN l.last_token + 1 ELSE " + block + " END";
    }

    /** Need not be on disk before it counts: if it is lost with the server, the lease ends by itself. */
    @Override
    String release() {
        return "WITH freed AS (" + super.release() + " RETURNING name, awaited_until)"
                + " SELECT set_config('synchronous_commit', 'off', true),"
                + " CASE WHEN awaited_until > " + now() + " THEN pg_notify('holdfast_lease', name) END FROM freed";
    }

    @Override
    String ensureRow() {
        return "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                + " VALUES (?, 1, 0, 0, " + now() + ", 0) ON CONFLICT (name) DO NOTHING";
    }

    @Override
    String tell() {
        return "SELECT pg_notify('holdfast_lease', ?)";
    }

    @Override
    String identity(Connection connection, String table) throws SQLException {
        String resolved = ask(
                connection,
                "SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN"
                        + " pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('" + table + "')");
        return resolved == null ? super.identity(connection, table) : resolved;
    }

    @Override
    void warn(Connection connection, String store) throws SQLException {
        for (String setting : List.of("fsync", "synchronous_commit")) {
            if ("off".equals(ask(connection, "SHOW " + setting))) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        store + ": " + setting + " is off, so a crash of the server may forget locks that are held.");
            }
        }
    }

    @Override
    Duration patience() {
        return Duration.ofMillis(50);
    }

    @Override
    boolean isCollision(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return super.isCollision(failure) || state.equals(DEADLOCK) || state.equals(LOCK_TIMEOUT);
    }

    @Override
    void connectionProperties(Properties properties, Duration timeout) {
        String seconds = String.valueOf(Math.max(1, (timeout.toMillis() + 999) / 1_000));
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "holdfast");
    }

    @Override
    void setUp(Connection connection, Duration timeout) throws SQLException {
        super.setUp(connection, timeout);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET statement_timeout = " + timeout.toMillis() + "; SET lock_timeout = "
                    + lockWait(timeout).toMillis() + "; SET idle_in_transaction_session_timeout = "
                    + timeout.toMillis() + "; SET synchronous_commit = on");
        }
    }

    @Override
    void bound(Session session, Duration timeout) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = "
                    + timeout.toMillis() + "; SET LOCAL lock_timeout = "
                    + lockWait(timeout).toMillis() + "; SET LOCAL idle_in_transaction_session_timeout = "
                    + timeout.toMillis());
        }
    }

    @Override
    boolean boundsTransactionsAlone() {
        return true;
    }

    /** Also where the URL asks for it. */
    @Override
    void prepareNothing(Connection connection) throws SQLException {
        connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    }

    @Override
    String sessionId() {
        return "SELECT pg_backend_pid()";
    }
}
