package io.holdfast.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** H2, inside a JVM or as a server. */
public final class H2Dialect extends Dialect {

    private static final Pattern REMOTE = Pattern.compile("^jdbc:h2:(tcp|ssl):");
    private static final int LOCK_TIMEOUT = 50200;

    @Override
    public String script() {
        return "h2";
    }

    @Override
    public String now() {
        return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    }

    /** Atomic: one statement locks the row, and checks it again in its newest version, before it changes it. */
    @Override
    public String acquire() {
        return "SELECT " + columns() + " FROM FINAL TABLE (MERGE INTO holdfast_lease l USING"
                + " (SELECT CAST(? AS VARBINARY) name, CAST(? AS INTEGER) capacity, CAST(? AS VARCHAR) claim,"
                + " CAST(? AS BIGINT) tokens, CAST(? AS BIGINT) lease, CAST(? AS VARCHAR) owner, "
                + now() + " moment) n ON l.name = n.name"
                + " WHEN MATCHED AND " + isFree("n.claim", "n.moment")
                + " THEN UPDATE SET l.capacity = n.capacity, l.claim = n.claim,"
                + " l.first_token = " + token("n.moment", "n.moment")
                + ", l.last_token = " + token("n.moment", "n.moment + n.tokens - 1")
                + ", l.granted_at = n.moment, l.ends_at = n.moment + n.lease, l.owner = n.owner, l.next_claim = NULL"
                + " WHEN NOT MATCHED THEN INSERT (name, capacity, claim, first_token, last_token, granted_at, ends_at,"
                + " owner) VALUES (n.name, n.capacity, n.claim, n.moment, n.moment + n.tokens - 1, n.moment,"
                + " n.moment + n.lease, n.owner))";
    }

    /** It need not be the present schema, because of SCHEMA_SEARCH_PATH. */
    @Override
    @Nullable
    String schema(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("SELECT name FROM " + table + " WHERE 1 = 0")) {
            String schema = none.getMetaData().getSchemaName(1);
            return schema == null || schema.isEmpty() ? null : '"' + schema.replace("\"", "\"\"") + '"';
        }
    }

    @Override
    public String ensureRow() {
        return "MERGE INTO holdfast_lease l USING (SELECT CAST(? AS VARBINARY) name) n ON l.name = n.name"
                + " WHEN NOT MATCHED THEN INSERT (name, capacity, first_token, last_token, granted_at, ends_at)"
                + " VALUES (n.name, 1, 0, 0, " + now() + ", 0)";
    }

    /** Before 2.2.220, H2 ignores SKIP LOCKED or rejects it. */
    @Override
    String version() {
        return "SELECT 'H2 ' || H2VERSION()";
    }

    @Override
    public void setUp(Connection connection, Duration timeout) throws SQLException {
        super.setUp(connection, timeout);
        execute(connection, "SET LOCK_TIMEOUT " + lockWait(timeout).toMillis());
    }

    @Override
    public String restoringSettings() {
        return "SELECT 'SET LOCK_TIMEOUT ' || LOCK_TIMEOUT()";
    }

    @Override
    public boolean isCollision(SQLException failure) {
        return super.isCollision(failure) || failure.getErrorCode() == LOCK_TIMEOUT;
    }

    @Override
    public boolean storesBytes() {
        return true;
    }

    /** For H2 as a server; inside the JVM it has no effect. */
    @Override
    public void connectionProperties(Properties properties, Duration timeout) {
        properties.setProperty("NETWORK_TIMEOUT", String.valueOf(networkTimeoutFor(timeout)));
    }

    /**
     * After a network timeout, H2's driver drops its socket without closing it. Until the garbage collector closes it, the server keeps the
     * transaction, and its row locks. Ids of sessions begin again when the server is restarted.
     */
    @Override
    @Nullable
    public String abortSessionStatement(Connection connection) throws SQLException {
        if (!REMOTE.matcher(connection.getMetaData().getURL()).find()) {
            return null;
        }
        return queryValue(
                connection,
                "SELECT 'SELECT ABORT_SESSION(session_id) FROM information_schema.sessions WHERE session_id = ' || session_id"
                        + " || ' AND session_start = TIMESTAMP WITH TIME ZONE ''' || session_start || ''''"
                        + " FROM information_schema.sessions WHERE session_id = SESSION_ID()");
    }

    /**
     * WRITE_DELAY is not set here: it is a setting of the whole database, stored in its file, and so the application's. A database in memory
     * does not survive H2 anyway.
     */
    @Override
    public void warn(Connection connection, String store) throws SQLException {
        String delay = queryValue(
                connection, "SELECT SETTING_VALUE FROM INFORMATION_SCHEMA.SETTINGS WHERE SETTING_NAME = 'WRITE_DELAY'");
        if (!"0".equals(delay) && queryValue(connection, "SELECT DATABASE_PATH()") != null) {
            log(store + ": WRITE_DELAY is " + delay
                    + " and not 0, so a crash of H2 may forget locks that are held, and grant them"
                    + " again. Add ;WRITE_DELAY=0 to the URL; it affects the whole database.");
        }
    }
}
