package io.holdfast.jdbc.internal.dialect;

import io.holdfast.jdbc.internal.DatabaseAvailability;
import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What differs between databases: SQL, settings of sessions and error codes. Statements name the table {@code holdfast_lease};
 * {@code LeaseSql} replaces this by the real name. A statement outside of a transaction is atomic by itself.
 */
public abstract class Dialect {

    private static final System.Logger LOG = StoreLog.LOGGER;

    /** The columns of a row, in the order in which {@code LeaseRow} reads them. */
    private static final String COLUMNS =
            "claim, capacity, first_token, last_token, granted_at, ends_at, owner, next_claim,"
                    + " next_until, ended, %s AS queue, %s AS moment";

    /** For how many microseconds the claim that reserves the name has priority; and the longest time that is accepted in a row. */
    public static final long RESERVATION_MICROS = 300_000;

    public static final long MAX_RESERVATION_MICROS = 10_000_000;

    /** Short, so that one row that is locked leaves time for the other leases that are renewed together with it. */
    private static final Duration MAX_LOCK_WAIT = Duration.ofMillis(500);

    /** The class of states after a deadlock, a serialization failure and the like. */
    private static final String ROLLED_BACK = "40";

    private static final String OUTCOME_UNKNOWN = "40003";
    private static final String DUPLICATE = "23505";
    private static final String READ_ONLY = "25006";
    private static final String ACCESS_RULE_VIOLATION = "42";
    private static final String H2_ACCESS_DENIED = "90096";

    /** The database behind a connection. */
    public static Dialect of(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        String product = about.getDatabaseProductName();
        boolean isMariaDb = about.getDatabaseProductVersion().contains("MariaDB");
        return of(isMariaDb ? "mariadb" : product.toLowerCase(Locale.ROOT), product);
    }

    /**
     * The database of that kind.
     *
     * @param kind its name in a JDBC URL
     * @param name its name for the message, if it is not supported
     */
    public static Dialect of(String kind, String name) {
        return switch (kind) {
            case "postgresql" -> new PostgresDialect();
            case "mariadb" -> new MariaDbDialect();
            case "mysql" -> new MySqlDialect();
            case "h2" -> new H2Dialect();
            case "sqlite" -> new SqliteDialect();
            default ->
                throw new IllegalArgumentException("Locks on " + name
                        + " are not supported. Supported are jdbc:postgresql:, jdbc:mariadb:, jdbc:mysql: (8 or later), jdbc:h2: and jdbc:sqlite:,"
                        + " also behind a wrapper driver (jdbc:otel:postgresql:…).");
        };
    }

    /**
     * Identifies the table, however its name was written. Channels and session locks are named after it. All clients that share locks must
     * compute the same identity, so in doubt it does not distinguish two tables.
     *
     * @param qualified see {@link #qualified}
     */
    public static String identity(String qualified) {
        return qualified.replaceAll("[`\"]", "").toLowerCase(Locale.ROOT);
    }

    /** The schema in which the table is found, quoted; null if the database has no schemas. */
    @Nullable
    String schema(Connection connection, String table) throws SQLException {
        return null;
    }

    /** The table with its schema, so that every session uses the same one, whatever search path the application has set. */
    public final String qualified(Connection connection, String table) throws SQLException {
        String schema = table.contains(".") ? null : schema(connection, table);
        return schema == null ? table : schema + "." + table;
    }

    /** A query for the version of the server, with all names of the product. */
    @Nullable
    String version() {
        return null;
    }

    /** Fails on a server that is only compatible with this database. */
    public final void checkServer(Connection connection, String store) throws SQLException {
        String query = version();
        String refusal = query == null ? null : UnsupportedServers.refusal(queryValue(connection, query));
        if (refusal != null) {
            throw new IllegalStateException(store + ": " + refusal);
        }
    }

    /** Logs a warning if the server may lose commits in a crash. */
    public void warn(Connection connection, String store) throws SQLException {}

    /** Logs a warning. */
    static void log(String warning) {
        LOG.log(System.Logger.Level.WARNING, warning);
    }

    /** The middle of the names of its scripts. */
    public abstract String script();

    /** Microseconds since 1970 when the statement began, on the clock of the database. */
    public abstract String now();

    /**
     * Acquires the name if it is free, in one statement, which is atomic. Parameters: name, capacity, claim, tokens, lease, owner; with a wait
     * queue, also the lifetime of an entry, which {@link #acquireOrEnqueue()} uses. It returns the row as it is afterwards, or nothing, and
     * then the row has to be read. Null if a transaction locks the row, decides in Java and writes, which works in every database.
     */
    @Nullable
    public String acquire() {
        return null;
    }

    /** Whether {@link #acquire()} returns rows. */
    public boolean acquireReturnsRow() {
        return true;
    }

    /**
     * The same, and adds the claim to the wait queue if the name is not free. It has more expressions, which the database sets up each time, so
     * it is for claims that {@link #acquire()} has not granted. Null if there is no wait queue.
     */
    @Nullable
    public String acquireOrEnqueue() {
        return null;
    }

    /**
     * Releases the name, if its wait queue is empty or it has none. One UPDATE, which is atomic. Parameters: name, claim. Returns a row, or a
     * count of rows, if the claim held it.
     */
    public String release() {
        return "UPDATE holdfast_lease SET claim = NULL, ends_at = 0 WHERE name = ? AND claim = ? AND ends_at > "
                + now();
    }

    /** The same for a name whose wait queue may have entries: hands it over to the first claim. Null if there is no wait queue. */
    @Nullable
    public String handOver() {
        return null;
    }

    /** Lets the present transaction commit without waiting for the disk; null if one that has changed no row does not wait. */
    @Nullable
    public String relaxedDurability() {
        return null;
    }

    /** Inserts the row of a name if it is missing, atomically. Parameter: name. */
    public String ensureRow() {
        return "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                + " VALUES (?, 1, 0, 0, " + now() + ", 0) ON CONFLICT (name) DO NOTHING";
    }

    /** The clause by which a SELECT locks its rows. */
    public String forUpdate() {
        return " FOR UPDATE";
    }

    /** The clause by which a locking SELECT leaves out rows that are locked. */
    public String skipLocked() {
        return " SKIP LOCKED";
    }

    /** The clause by which a locking SELECT fails at once if a row is locked; the failure is a {@linkplain #isCollision collision}. */
    public String noWait() {
        return " NOWAIT";
    }

    /** Notifies a waiter; parameter: the message. Null if waiters poll: then there is no wait queue either. */
    @Nullable
    public String notifyWaiter() {
        return null;
    }

    /** Lets entries of the wait queue expire later. Parameters: claims, with {@code |} between, time, names. */
    public String refreshQueue() {
        throw new UnsupportedOperationException(script() + " has no wait queue");
    }

    /** That a name is not reserved for another claim. */
    public static String isNotReserved(String nextClaim, String nextUntil, String claim, String moment) {
        return "(" + nextClaim + " IS NULL OR " + nextClaim + " = " + claim + " OR " + nextUntil + " <= " + moment
                + " OR " + nextUntil + " > " + moment + " + " + MAX_RESERVATION_MICROS + ")";
    }

    /** That the name of row {@code l} is free for the claim. */
    static String isFree(String claim, String moment) {
        return "l.ends_at <= " + moment + " AND " + isNotReserved("l.next_claim", "l.next_until", claim, moment)
                + " AND (l.ended IS NULL OR l.ended NOT LIKE '%' || " + claim + " || '@%')";
    }

    /** A token of row {@code l}: the last one + 1, or that of a block that begins at the present time if the last token is before it. */
    static String token(String moment, String block) {
        return "CASE WHEN l.last_token >= " + moment + " THEN l.last_token + 1 ELSE " + block + " END";
    }

    /** Whether the statement was rolled back only because of a conflict with another session: then it can be retried. */
    public boolean isCollision(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return (state.startsWith(ROLLED_BACK) && !state.equals(OUTCOME_UNKNOWN)) || state.equals(DUPLICATE);
    }

    /**
     * The failure itself, or an {@link UnusableDatabaseException} that says what to do: then nothing was executed, and the same statement would
     * fail again.
     */
    public SQLException explain(SQLException failure) {
        return failure;
    }

    /** Fails on a connection that is read-only: some drivers execute a single statement on it nevertheless. */
    public void checkConnection(Connection connection) throws SQLException {
        if (connection.isReadOnly()) {
            throw new IllegalStateException(
                    "The connections are read-only (Connection.isReadOnly()), but locks have to be written. Use connections to the"
                            + " primary that may write; in HikariCP, set readOnly to false.");
        }
    }

    /**
     * Fails if the table is read-only, or if the user lacks a privilege to change it. By statements that change nothing: the server refuses
     * them before it reads rows. Whether it does so depends on more than one setting, and on the user.
     */
    public void checkWritable(Connection connection, String table) throws SQLException {
        try {
            execute(connection, "INSERT INTO " + table + " SELECT * FROM " + table + " WHERE 1 = 0");
            execute(connection, "UPDATE " + table + " SET claim = NULL WHERE 1 = 0");
            execute(connection, "DELETE FROM " + table + " WHERE 1 = 0");
        } catch (SQLException failure) {
            if (isReadOnly(failure)
                    || explain(failure) != failure
                    || isAccessDenied(failure)
                    || DatabaseAvailability.isUnavailable(failure)) {
                throw failure;
            }
            LOG.log(System.Logger.Level.DEBUG, "It is unknown whether the table can be written", failure);
        }
    }

    /** The class of states of a missing privilege; those of H2 are numbers. */
    private static boolean isAccessDenied(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith(ACCESS_RULE_VIOLATION) || state.equals(H2_ACCESS_DENIED);
    }

    /** Whether the failure says that the server, or this user on it, is read-only at present. */
    public boolean isReadOnly(SQLException failure) {
        return READ_ONLY.equals(failure.getSQLState());
    }

    /** Sets the properties with which a dedicated connection is opened. */
    public void connectionProperties(Properties properties, Duration timeout) {}

    /**
     * A statement by which another connection ends the server's session of this one, if the driver may leave it open after a network timeout;
     * null if it does not.
     */
    @Nullable
    public String abortSessionStatement(Connection connection) throws SQLException {
        return null;
    }

    /** Sets the network timeout of the connection. The drivers of H2 and SQLite ignore it. */
    public static void limit(Connection connection, int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    /** Longer than the timeouts of the server, so that its response arrives first. */
    public static int networkTimeoutFor(Duration timeout) {
        return (int) timeout.plusSeconds(1).toMillis();
    }

    /** Sets up a connection whose session of the server is not shared, once. */
    public void setUp(Connection connection, Duration timeout) throws SQLException {
        connection.setAutoCommit(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    /**
     * A statement that sets timeouts of the transaction which has begun, and of nothing after it, on a connection that was not
     * {@link #setUp}: if its client is unresponsive, the server has to end the transaction, and release its row locks. Null where
     * {@link #setUp} is needed.
     */
    @Nullable
    public String bounds(Duration timeout) {
        return null;
    }

    /** A query that returns the statement which restores what {@link #setUp} changes in a session; null if there is none. */
    @Nullable
    public String restoringSettings() {
        return null;
    }

    /** Restores the setting that {@link #disableServerPrepare} changes. */
    public SqlAction restoringServerPrepare(Connection connection) throws SQLException {
        return () -> {};
    }

    /** Has the driver prepare no statement on the server, where the next transaction may be in another session. */
    public void disableServerPrepare(Connection connection) throws SQLException {}

    /** A query for {@link #id}. */
    String sessionId() {
        throw new UnsupportedOperationException(script() + " has no sessions with numbers");
    }

    /** The id of the session on the server. */
    public final long id(Connection connection) throws SQLException {
        return Long.parseLong(String.valueOf(queryValue(connection, sessionId())));
    }

    /**
     * Whether a pooler between this process and the server uses another session for each transaction. A pooler that reuses the last session
     * has to use another one while the other connection is in a transaction, one that uses sessions in turn does so as soon as that has
     * ended. Both connections are dedicated.
     */
    public final boolean swapsSessions(Connection one, Connection other) throws SQLException {
        Set<Long> sessions = new HashSet<>();
        sessions.add(id(one));
        other.setAutoCommit(false);
        id(other);
        sessions.add(id(one));
        other.rollback();
        other.setAutoCommit(true);
        sessions.add(id(one));
        sessions.add(id(one));
        return sessions.size() > 1;
    }

    /** How long a statement waits for a row that another session has locked, before it is retried. */
    static Duration lockWait(Duration timeout) {
        Duration half = timeout.dividedBy(2);
        return half.compareTo(MAX_LOCK_WAIT) < 0 ? half : MAX_LOCK_WAIT;
    }

    /** Whether names are stored as bytes, because the database compares text in ways of its own. */
    public boolean storesBytes() {
        return false;
    }

    public final void setName(PreparedStatement statement, int index, String name) throws SQLException {
        if (storesBytes()) {
            statement.setBytes(index, name.getBytes(StandardCharsets.UTF_8));
        } else {
            statement.setString(index, name);
        }
    }

    public final String name(ResultSet row, int index) throws SQLException {
        return storesBytes() ? new String(row.getBytes(index), StandardCharsets.UTF_8) : row.getString(index);
    }

    /** The rows of a statement that also writes: not every driver accepts it in {@code executeQuery}. */
    public static ResultSet rows(PreparedStatement statement) throws SQLException {
        if (!statement.execute()) {
            throw new SQLException("The statement was executed, but returned no rows.");
        }
        return statement.getResultSet();
    }

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of the first row; null if there is none. */
    public static @Nullable String queryValue(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    public final String columns() {
        return COLUMNS.formatted(notifyWaiter() == null ? "CAST(NULL AS CHAR)" : "queue", now());
    }
}
