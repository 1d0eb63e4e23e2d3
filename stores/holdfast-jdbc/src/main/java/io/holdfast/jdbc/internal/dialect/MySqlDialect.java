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
    /** Of a table, while its definition is changed. The default is a day or a year, and a statement waits on when its client is gone. */
    private static final String TABLE_LOCK_SECONDS = "lock_wait_timeout";

    private static final int LOCK_WAIT = 1205;
    private static final int LOCKED = 3572;
    private static final int STATEMENT_LOGGING = 1665;
    private static final int READ_ONLY_OPTION = 1290;
    private static final int READ_ONLY_MODE = 1836;
    /** {@code innodb_read_only}, on MySQL and on MariaDB. */
    private static final Set<Integer> READ_ONLY_INNODB = Set.of(1874, 1036);

    /*
     * One statement, so that looking and taking cannot be apart: the row is locked before anything is computed. Columns are
     * set from left to right, and each is computed from what stands left of it already changed: so the columns that decide
     * come last, and `ends_at` last of all. Setting `next_claim` to NULL does not change whether the name is free.
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
     * Unless it answers with the row, the server answers with a number besides: 0 if the name is not free, else the first token times 128, plus the number of
     * tokens; or plus 0 if the row is new, and there are as many tokens as were wanted.
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

    /** An administrator may have changed the first, but not the second. */
    @Override
    String version() {
        return "SELECT CONCAT(VERSION(), ' ', @@version_comment)";
    }

    @Override
    public void warn(Connection connection, String store) throws SQLException {
        if (!"1".equals(queryValue(connection, "SELECT @@innodb_flush_log_at_trx_commit"))) {
            log(store + ": innodb_flush_log_at_trx_commit is not 1, so a crash of the server may forget locks that are"
                    + " held.");
        }
        if (isGalera(connection)) {
            log(store
                    + ": this server is one of a Galera cluster, and each has a clock of its own. Let all who share locks"
                    + " use the same one.");
        }
        if (!variable(connection, "group_replication_group_name").isEmpty()) {
            log(store
                    + ": this server is one of a group (MySQL Group Replication). Each has a clock of its own, and GET_LOCK"
                    + " is known to one server only. Let all who share locks use the same one, the primary.");
        }
    }

    public static boolean isGalera(Connection connection) throws SQLException {
        return variable(connection, "wsrep_on").equalsIgnoreCase("ON");
    }

    /** Its value for the whole server; empty if there is no such variable. */
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

    /** A row or a table that another session keeps locked must not delay this process for long. */
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

    /** The server counts in whole seconds. */
    private static long lockSeconds(Duration timeout) {
        return Math.max(1, lockWait(timeout).toSeconds());
    }

    /** The setting that ends a session whose client is unresponsive in the middle of a transaction. */
    String idleSeconds() {
        return "wait_timeout";
    }

    /** Its value. Here it also ends sessions outside of transactions, which are opened anew. */
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
        // A renewal counts the rows that it finds.
        properties.setProperty("useAffectedRows", "false");
    }

    @Override
    public boolean storesBytes() {
        return true;
    }
}
