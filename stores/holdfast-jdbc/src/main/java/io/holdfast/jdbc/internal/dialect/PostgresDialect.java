package io.holdfast.jdbc.internal.dialect;

import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.jdbc.internal.queue.PostgresQueueSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/** PostgreSQL: claims wait in a queue in the row, and are notified by NOTIFY. */
public final class PostgresDialect extends Dialect {

    public static final String LOCK_TIMEOUT = "55P03";

    /** What the claim requests, once in the statement. The row is found by a constant, so that the index is used. */
    static final String WANTED = "WITH n AS (SELECT ?::text AS wanted, ?::integer AS wanted_capacity,"
            + " ?::text AS wanted_claim, ?::bigint AS wanted_tokens, ?::bigint AS wanted_lease, ?::text AS wanted_owner,"
            + " ?::bigint AS wait, %s AS moment)";

    private static final String FREE = isFree("wanted_claim", "moment");

    /** Grants the name if it is free; the columns to return and a parenthesis follow. */
    private static final String GRANTED =
            "granted AS (UPDATE holdfast_lease l SET capacity = wanted_capacity, claim = wanted_claim, first_token = "
                    + token("moment", "moment") + ", last_token = " + token("moment", "moment + wanted_tokens - 1")
                    + ", granted_at = moment, ends_at = moment + wanted_lease, owner = wanted_owner, next_claim = NULL, queue = "
                    + PostgresQueueSql.WITHOUT_CLAIM + " FROM n WHERE l.name = (SELECT wanted FROM n) AND " + FREE
                    + " RETURNING ";

    /** How long a lease that was handed over lasts until the first renewal. */
    private static final long HANDED_OVER_LEASE_MICROS = 2_000_000;

    /** A lease that is about to expire is not handed over. */
    private static final long MIN_HAND_OVER_MICROS = 500_000;

    @Override
    public String script() {
        return "postgresql";
    }

    @Override
    public String now() {
        // Not extract(), which computes with numeric and is ten times slower. A double is exact enough until the year
        // 2255.
        return "(date_part('epoch', statement_timestamp()) * 1000000)::bigint";
    }

    @Override
    public String acquire() {
        return WANTED.formatted(now()) + ", " + GRANTED + columns() + ")" + added();
    }

    /**
     * Acquires a free name, or adds the claim to the wait queue. Atomic: each {@code UPDATE} locks the row, and evaluates its conditions again
     * on the newest version if it had to wait for it; no version satisfies both. A claim that is refused and need not be queued writes
     * nothing: then the result is the row as it was when the statement began. That is also so if the row has changed between the two versions;
     * then the claim is neither granted nor queued, and sends another request.
     *
     * <p>An entry in the wait queue need not be durable, because one that is forgotten is written again. The condition that turns durability off
     * is evaluated for the row that was queued, and for no other.
     */
    @Override
    public String acquireOrEnqueue() {
        return WANTED.formatted(now()) + ", " + GRANTED + columns()
                + "), queued AS (UPDATE holdfast_lease l SET queue = "
                + PostgresQueueSql.WITH_CLAIM
                + " FROM n WHERE l.name = (SELECT wanted FROM n) AND wait > 0 AND NOT (" + FREE + ")"
                + " AND (l.ended IS NULL OR l.ended NOT LIKE '%' || wanted_claim || '@%')"
                + " AND (l.claim IS NULL OR l.claim <> wanted_claim OR l.ends_at <= moment) AND "
                + PostgresQueueSql.IS_ENTRY_NEEDED + " RETURNING " + columns() + ")" + added()
                + " AND NOT EXISTS (SELECT 1 FROM queued) UNION ALL SELECT * FROM queued WHERE "
                + "set_config('synchronous_commit', 'off', queue IS NOT NULL) = 'off'";
    }

    /** Inserts the row if it is missing, and returns what was granted, or else the row as it is. */
    private String added() {
        return ", added AS (INSERT INTO holdfast_lease (name, capacity, claim, first_token, last_token, granted_at,"
                + " ends_at, owner) SELECT wanted, wanted_capacity, wanted_claim, moment, moment + wanted_tokens - 1, moment,"
                + " moment + wanted_lease, wanted_owner FROM n WHERE NOT EXISTS (SELECT 1 FROM holdfast_lease WHERE name ="
                + " (SELECT wanted FROM n)) ON CONFLICT (name) DO NOTHING RETURNING " + columns()
                + ") SELECT * FROM granted UNION ALL SELECT * FROM added UNION ALL SELECT " + columns()
                + " FROM holdfast_lease WHERE name = (SELECT wanted FROM n) AND NOT EXISTS (SELECT 1 FROM granted)";
    }

    /** Atomic: one UPDATE compares the claim and releases the name. It need not be durable: if it is forgotten, the lease expires. */
    @Override
    public String release() {
        return "WITH freed AS (UPDATE holdfast_lease SET claim = NULL, ends_at = 0, next_claim = NULL WHERE name = ? AND claim = ?"
                + " AND ends_at > " + now() + " AND queue = '' RETURNING 1)"
                + " SELECT set_config('synchronous_commit', 'off', true) FROM freed";
    }

    /**
     * Releases the name, or hands it over to the first claim in the wait queue if that requests all of it. Atomic: one UPDATE compares the claim
     * and writes the next one. The notification contains the grant, so the waiter sends nothing. If the first claim requests a part, it is
     * notified and has priority for a moment. If the first entry has expired, nothing is changed: {@code LeaseTransactions.release} removes
     * all that have.
     *
     * <p>It need not be durable. If the server crashes and forgets it, the row belongs to the claim that released it, until the expiry that is
     * in the row. So a lease that is handed over expires no later than that: no other claim acquires the name while the next holder counts on
     * it. The first renewal of the next holder is durable, and detects a hand-over that was forgotten.
     */
    @Override
    public String handOver() {
        String hands = "(CASE WHEN l.queue = '' THEN false ELSE " + PostgresQueueSql.first(3) + " = "
                + PostgresQueueSql.first(4) + " AND l.ends_at - moment >= " + MIN_HAND_OVER_MICROS + " END)";
        String called = "CASE WHEN l.queue = '' OR " + hands + " THEN NULL ELSE " + PostgresQueueSql.first(2) + " END";
        return "WITH m AS MATERIALIZED (SELECT " + now() + " AS moment), freed AS (UPDATE holdfast_lease l SET claim ="
                + " CASE WHEN " + hands + " THEN " + PostgresQueueSql.first(2) + " END, "
                + either("capacity", hands, PostgresQueueSql.first(4) + "::integer")
                + either("owner", hands, PostgresQueueSql.first(7))
                + either("first_token", hands, token("moment", "moment"))
                + either("last_token", hands, token("moment", "moment + " + PostgresQueueSql.first(6) + "::bigint - 1"))
                + either("granted_at", hands, "moment")
                + "ends_at = CASE WHEN " + hands + " THEN least(l.ends_at, moment + least(" + PostgresQueueSql.first(5)
                + "::bigint, " + HANDED_OVER_LEASE_MICROS + ")) ELSE 0 END, next_claim = " + called
                + ", next_until = CASE WHEN l.queue = '' OR " + hands + " THEN l.next_until ELSE moment + "
                + RESERVATION_MICROS + " END, queue = CASE WHEN " + hands + " THEN " + PostgresQueueSql.REST
                + " ELSE l.queue END"
                + " FROM m WHERE name = ? AND claim = ? AND ends_at > moment AND CASE WHEN l.queue = '' THEN true ELSE "
                + PostgresQueueSql.IS_FIRST_LIVE + " END"
                + " RETURNING name, claim, next_claim, first_token, last_token, granted_at, ends_at)"
                + " SELECT set_config('synchronous_commit', 'off', true), CASE"
                + " WHEN claim IS NOT NULL THEN pg_notify('holdfast_lease', concat_ws(E'\\t', '"
                + NotificationMessage.GRANTED + "', claim, first_token, last_token, granted_at, ends_at, name))"
                + " WHEN next_claim IS NOT NULL THEN pg_notify('holdfast_lease', concat_ws(E'\\t', '"
                + NotificationMessage.TURN + "', next_claim, name)) END FROM freed";
    }

    private static String either(String column, String condition, String then) {
        return column + " = CASE WHEN " + condition + " THEN " + then + " ELSE l." + column + " END, ";
    }

    /** It need not be durable: an entry that is forgotten is written again. */
    @Override
    public String refreshQueue() {
        return "WITH done AS (UPDATE holdfast_lease l SET queue = " + PostgresQueueSql.refreshed("?", now() + " + ?")
                + " WHERE name IN {list} RETURNING 1) SELECT set_config('synchronous_commit', 'off', true), count(*) FROM done";
    }

    /** A row lock is written to the log, too. */
    @Override
    public String relaxedDurability() {
        return "SET LOCAL synchronous_commit = off";
    }

    @Override
    public String notifyWaiter() {
        return "SELECT pg_notify('holdfast_lease', ?)";
    }

    @Override
    @Nullable
    String schema(Connection connection, String table) throws SQLException {
        return queryValue(
                connection,
                "SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                        + " WHERE c.oid = to_regclass('" + table + "')");
    }

    @Override
    String version() {
        return "SELECT version()";
    }

    @Override
    public void warn(Connection connection, String store) throws SQLException {
        for (String setting : List.of("fsync", "synchronous_commit")) {
            if ("off".equals(queryValue(connection, "SHOW " + setting))) {
                log(store + ": " + setting
                        + " is off, so a crash of the server may forget locks that are held, and grant them again. Turn it on for the user"
                        + " of the locks.");
            }
        }
    }

    @Override
    public boolean isCollision(SQLException failure) {
        return super.isCollision(failure) || LOCK_TIMEOUT.equals(failure.getSQLState());
    }

    @Override
    public void connectionProperties(Properties properties, Duration timeout) {
        String seconds = String.valueOf(Math.max(1, (timeout.toMillis() + 999) / 1_000));
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "holdfast");
    }

    @Override
    public void setUp(Connection connection, Duration timeout) throws SQLException {
        super.setUp(connection, timeout);
        execute(connection, timeouts("SET ", timeout) + "; SET synchronous_commit = on");
    }

    private static String timeouts(String set, Duration timeout) {
        return set + "statement_timeout = " + timeout.toMillis() + "; " + set + "lock_timeout = "
                + lockWait(timeout).toMillis() + "; " + set + "idle_in_transaction_session_timeout = "
                + timeout.toMillis();
    }

    @Override
    public String restoringSettings() {
        return "SELECT 'UNLISTEN *' || string_agg('; SET ' || name || ' = ' || quote_literal(current_setting(name)), '')"
                + " FROM unnest(ARRAY['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout',"
                + " 'synchronous_commit', 'tcp_user_timeout']) AS name";
    }

    @Override
    public String bounds(Duration timeout) {
        return "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; " + timeouts("SET LOCAL ", timeout);
    }

    @Override
    public SqlAction restoringServerPrepare(Connection connection) throws SQLException {
        PGConnection postgres = connection.unwrap(PGConnection.class);
        int threshold = postgres.getPrepareThreshold();
        return () -> postgres.setPrepareThreshold(threshold);
    }

    /** Also where the URL turns it on. */
    @Override
    public void disableServerPrepare(Connection connection) throws SQLException {
        connection.unwrap(PGConnection.class).setPrepareThreshold(0);
    }

    @Override
    String sessionId() {
        return "SELECT pg_backend_pid()";
    }
}
