package io.holdfast.jdbc.internal.dialect;

import io.holdfast.jdbc.internal.UnusableDatabaseException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** MySQL 8 and later. */
public class MySqlDialect extends Dialect {

    private static final String LOCK_SECONDS = "innodb_lock_wait_timeout";
    /** For a table whose definition is being changed. The default is a day or a year, and a statement still waits when its client has died. */
    private static final String TABLE_LOCK_SECONDS = "lock_wait_timeout";

    private static final int LOCK_WAIT = 1205;
    private static final int LOCKED = 3572;
    private static final int STATEMENT_LOGGING = 1665;
    private static final int READ_ONLY_OPTION = 1290;
    private static final int READ_ONLY_MODE = 1836;
    /** {@code innodb_read_only}, on MySQL and on MariaDB. */
    private static final Set<Integer> READ_ONLY_INNODB = Set.of(1874, 1036);

    /*
     * Atomic: it is one statement, and the row is locked before anything is computed. Columns are set from left to right, and each
     * expression sees the columns before it as changed already: so the columns that decide are set last, and `ends_at` last of all.
     * Setting `next_claim` to NULL does not change whether the name is free.
     */
    private static final String FREE = "ends_at <= VALUES(granted_at) AND "
            + isNotReserved("next_claim", "next_until", "VALUES(claim)", "VALUES(granted_at)")
            + " AND (ended IS NULL OR LOCATE(CONCAT(VALUES(claim), '@'), ended) = 0)";

    @Override
    public String script() {
        return "mysql";
    }

    @Override
    public String now() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
    }

    @Override
    public String acquire() {
        return "INSERT INTO holdfast_lease (name, capacity, claim, first_token, last_token, granted_at, ends_at, owner)"
                + " VALUES (?, ?, ?, " + now() + ", " + now() + " + ? - 1, " + answering(now(), now() + " * 128") + ", "
                + now() + " + ?, ?) ON DUPLICATE KEY UPDATE "
                + when("capacity", "VALUES(capacity)") + ", "
                + when("claim", "VALUES(claim)") + ", "
                + when("first_token", token("VALUES(first_token)")) + ", "
                + when("last_token", token("VALUES(last_token)")) + ", "
                + "granted_at = IF(" + FREE + ", "
                + answering("VALUES(granted_at)", "first_token * 128 + last_token - first_token + 1") + ", "
                + answering("granted_at", "0") + "), "
                + when("owner", "VALUES(owner)") + ", "
                + when("next_claim", "NULL") + ", "
                + when("ends_at", "VALUES(ends_at)");
    }

    /**
     * Where the statement does not return the row, the server returns a number: 0 if the name is not free, else the first token times 128, plus
     * the number of tokens; or plus 0 if the row is new, and there are as many tokens as were requested.
     */
    private String answering(String value, String number) {
        return acquireReturnsRow() ? value : value + " + 0 * LAST_INSERT_ID(" + number + ")";
    }

    private static String when(String column, String taken) {
        return column + " = IF(" + FREE + ", " + taken + ", " + column + ")";
    }

    private static String token(String block) {
        return "IF(last_token >= VALUES(granted_at), last_token + 1, " + block + ")";
    }

    @Override
    public boolean acquireReturnsRow() {
        return false;
    }

    @Override
    public String ensureRow() {
        return "INSERT IGNORE INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                + " VALUES (?, 1, 0, 0, " + now() + ", 0)";
    }

    @Override
    @Nullable
    String schema(Connection connection, String table) throws SQLException {
        return queryValue(connection, "SELECT CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`')");
    }

    /** An administrator may have changed the version, but not the comment. */
    @Override
    String version() {
        return "SELECT CONCAT(VERSION(), ' ', @@version_comment)";
    }

    @Override
    public void warn(Connection connection, String store) throws SQLException {
        if (!"1".equals(queryValue(connection, "SELECT @@innodb_flush_log_at_trx_commit"))) {
            log(store + ": innodb_flush_log_at_trx_commit is not 1, so a crash of the server may forget locks that are"
                    + " held, and grant them again. Set it to 1.");
        }
        if (isGalera(connection)) {
            log(store
                    + ": this server is one of a Galera cluster, and each has its own clock, by which leases expire. Let all"
                    + " clients that share locks use the same server.");
        }
        if (!variable(connection, "group_replication_group_name").isEmpty()) {
            log(
                    store
                            + ": this server is one of a group (MySQL Group Replication). Each has its own clock, by which leases"
                            + " expire, and GET_LOCK is known to one server only. Let all clients that share locks use the primary.");
        }
    }

    public static boolean isGalera(Connection connection) throws SQLException {
        return variable(connection, "wsrep_on").equalsIgnoreCase("ON");
    }

    /** The value for the whole server; empty if there is no such variable. */
    private static String variable(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL VARIABLES LIKE '" + name + "'")) {
            return row.next() ? row.getString(2) : "";
        }
    }

    @Override
    public SQLException explain(SQLException failure) {
        return failure.getErrorCode() == STATEMENT_LOGGING
                ? new UnusableDatabaseException(
                        "binlog_format is STATEMENT, and so the server refuses writes in READ COMMITTED, which locks need. Set it"
                                + " to ROW or MIXED, in the configuration of the server and by SET GLOBAL binlog_format = 'ROW'.",
                        failure)
                : failure;
    }

    @Override
    public boolean isReadOnly(SQLException failure) {
        int code = failure.getErrorCode();
        return super.isReadOnly(failure)
                || code == READ_ONLY_OPTION
                || code == READ_ONLY_MODE
                || READ_ONLY_INNODB.contains(code);
    }

    /** Sets lock timeouts: a row or a table that another session keeps locked must not delay this process for long. */
    @Override
    public void setUp(Connection connection, Duration timeout) throws SQLException {
        super.setUp(connection, timeout);
        execute(
                connection,
                "SET SESSION " + LOCK_SECONDS + " = " + lockSeconds(timeout) + ", SESSION " + TABLE_LOCK_SECONDS + " = "
                        + lockSeconds(timeout) + ", SESSION " + idleSeconds() + " = "
                        + longestIdle(timeout.toSeconds()));
    }

    @Override
    public String restoringSettings() {
        return Stream.of(LOCK_SECONDS, TABLE_LOCK_SECONDS, idleSeconds())
                .map(setting -> "'SESSION " + setting + " = ', @@" + setting)
                .collect(Collectors.joining(", ', ', ", "SELECT CONCAT('SET ', ", ")"));
    }

    /** In whole seconds, as the server counts. */
    private static long lockSeconds(Duration timeout) {
        return Math.max(1, lockWait(timeout).toSeconds());
    }

    /** The idle-session timeout that ends a session whose client is unresponsive within a transaction. */
    String idleSeconds() {
        return "wait_timeout";
    }

    /** The value of {@link #idleSeconds}. Here it also ends sessions outside of transactions, which are opened again. */
    long longestIdle(long seconds) {
        return Math.max(1, seconds) + 15;
    }

    @Override
    String sessionId() {
        return "SELECT CONNECTION_ID()";
    }

    @Override
    public boolean isCollision(SQLException failure) {
        int code = failure.getErrorCode();
        return super.isCollision(failure) || code == LOCK_WAIT || code == LOCKED;
    }

    @Override
    public void connectionProperties(Properties properties, Duration timeout) {
        String millis = String.valueOf(timeout.toMillis());
        properties.setProperty("connectTimeout", millis);
        properties.setProperty("socketTimeout", millis);
        properties.setProperty("tcpKeepAlive", "true");
        // A renewal counts the rows that it matches.
        properties.setProperty("useAffectedRows", "false");
    }

    @Override
    public boolean storesBytes() {
        return true;
    }
}
