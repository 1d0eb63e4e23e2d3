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

    /** What is wanted, once in each statement. The row is found by a constant, so that the index is used. */
    private static final String WANTED = "WITH n AS (SELECT ?::text AS wanted, ?::integer AS wanted_capacity,"
            + " ?::text AS wanted_claim, ?::bigint AS wanted_tokens, ?::bigint AS wanted_lease, ?::text AS wanted_owner,"
            + " ?::bigint AS wait, %s AS moment)";

    private static final String FREE = "l.ends_at <= moment AND "
            + isNotReserved("l.next_claim", "l.next_until", "wanted_claim", "moment")
            + " AND (l.ended IS NULL OR l.ended NOT LIKE '%' || wanted_claim || '@%')";

    private static final String ENTRY = PostgresQueue.entry(
            "moment + wait",
            "wanted_claim",
            "wanted_capacity",
            "wanted_capacity",
            "wanted_lease",
            "wanted_tokens",
            "wanted_owner");

    /** A lease that was handed over lasts so long, until the first renewal. */
    private static final long HANDED_OVER_MICROS = 2_000_000;

    /** A lease that is about to expire is not handed over. */
    private static final long SHORTEST_HAND_OVER_MICROS = 500_000;

    @Override
    String script() {
        return "postgresql";
    }

    @Override
    String now() {
        return "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint";
    }

    /**
     * Acquires a free name, or puts the claim into the queue. The {@code UPDATE} locks the row, and evaluates its conditions again on the
     * newest version if it had to wait for it. A claim that is refused and need not be queued writes nothing: then the answer is the
     * row as it was when the statement began.
     */
    @Override
    String take() {
        return WANTED.formatted(now()) + ", changed AS (UPDATE holdfast_lease l SET "
                + when("capacity", "wanted_capacity") + ", "
                + when("claim", "wanted_claim") + ", "
                + when("first_token", token("moment")) + ", "
                + when("last_token", token("moment + wanted_tokens - 1")) + ", "
                + when("granted_at", "moment") + ", "
                + when("ends_at", "moment + wanted_lease") + ", "
                + when("owner", "wanted_owner") + ", "
                + when("next_claim", "NULL") + ", "
                + "queue = CASE WHEN " + FREE + " THEN " + PostgresQueue.without("wanted_claim") + " ELSE "
                + PostgresQueue.with("wanted_claim", ENTRY, "moment") + " END"
                + " FROM n WHERE l.name = (SELECT wanted FROM n) AND ((" + FREE + ") OR (wait > 0"
                + " AND (l.ended IS NULL OR l.ended NOT LIKE '%' || wanted_claim || '@%')"
                + " AND (l.claim IS NULL OR l.claim <> wanted_claim OR l.ends_at <= moment) AND "
                + PostgresQueue.isPlaceNeeded("wanted_claim", "moment", "wait") + ")) RETURNING " + columns()
                + "), added AS (INSERT INTO holdfast_lease (name, capacity, claim, first_token, last_token, granted_at,"
                + " ends_at, owner) SELECT wanted, wanted_capacity, wanted_claim, moment, moment + wanted_tokens - 1, moment,"
                + " moment + wanted_lease, wanted_owner FROM n WHERE NOT EXISTS (SELECT 1 FROM holdfast_lease WHERE name ="
                + " (SELECT wanted FROM n)) ON CONFLICT (name) DO NOTHING RETURNING " + columns()
                + ") SELECT * FROM changed UNION ALL SELECT * FROM added UNION ALL SELECT " + columns()
                + " FROM holdfast_lease WHERE name = (SELECT wanted FROM n) AND NOT EXISTS (SELECT 1 FROM changed)";
    }

    private static String when(String column, String taken) {
        return column + " = CASE WHEN " + FREE + " THEN " + taken + " ELSE l." + column + " END";
    }

    private static String token(String block) {
        return "CASE WHEN l.last_token >= moment THEN l.last_token + 1 ELSE " + block + " END";
    }

    @Override
    String queue() {
        return "array_to_string(queue, E'\\n')";
    }

    /**
     * Releases the name, or hands it over to the first claim in the queue if that wants all of it. The notification has the grant, so the
     * waiter sends nothing. In any other case the first in the queue is notified and has priority for a moment.
     *
     * <p>Not durable before it counts. If the server crashes and forgets it, the row belongs to the claim that released it, until the expiry
     * that is in the row. So a lease that is handed over expires no later than that: nobody else acquires the name while the next
     * holder counts on it. The first renewal of the next holder is durable, and finds out.
     */
    @Override
    String release() {
        String hands = "(h.units = h.capacity AND l.ends_at - moment >= " + SHORTEST_HAND_OVER_MICROS + ")";
        return "WITH freed AS (UPDATE holdfast_lease l SET (claim, capacity, owner, first_token, last_token, granted_at,"
                + " ends_at, next_claim, next_until, queue) = (SELECT CASE WHEN " + hands + " THEN h.claim END,"
                + either(hands, "h.capacity", "capacity") + either(hands, "h.owner", "owner")
                + either(hands, token("moment"), "first_token")
                + either(hands, token("moment + h.tokens - 1"), "last_token")
                + either(hands, "moment", "granted_at")
                + " CASE WHEN " + hands + " THEN least(l.ends_at, moment + least(h.lease, " + HANDED_OVER_MICROS
                + ")) ELSE 0 END, CASE WHEN " + hands + " THEN NULL ELSE h.claim END,"
                + " CASE WHEN " + hands + " OR h.claim IS NULL THEN l.next_until ELSE moment + " + RESERVATION + " END,"
                + " CASE WHEN h.claim IS NULL THEN ARRAY[]::text[] WHEN " + hands + " THEN "
                + PostgresQueue.after("h.i")
                + " ELSE l.queue END FROM (SELECT " + now() + " AS moment) m LEFT JOIN LATERAL ("
                + PostgresQueue.head("moment") + ") h ON true)"
                + " WHERE name = ? AND claim = ? AND ends_at > " + now()
                + " RETURNING name, claim, next_claim, first_token, last_token, granted_at, ends_at)"
                + " SELECT set_config('synchronous_commit', 'off', true), CASE"
                + " WHEN claim IS NOT NULL THEN pg_notify('holdfast_lease', concat_ws(" + PostgresQueue.TAB
                + ", '" + Handover.GRANTED + "', claim, first_token, last_token, granted_at, ends_at, name))"
                + " WHEN next_claim IS NOT NULL THEN pg_notify('holdfast_lease', concat_ws(" + PostgresQueue.TAB
                + ", '" + Handover.TURN + "', next_claim, name)) END FROM freed";
    }

    private static String either(String condition, String then, String column) {
        return " CASE WHEN " + condition + " THEN " + then + " ELSE l." + column + " END,";
    }

    @Override
    String ensureRow() {
        return "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                + " VALUES (?, 1, 0, 0, " + now() + ", 0) ON CONFLICT (name) DO NOTHING";
    }

    @Override
    String writeQueue() {
        return ", queue = string_to_array(?, E'\\n')";
    }

    /** Not durable before it counts: an entry that is forgotten is written again. */
    @Override
    String refreshQueue(String names, String claims) {
        return "WITH done AS (UPDATE holdfast_lease l SET queue = "
                + PostgresQueue.refreshed("(" + now() + " + ?)", claims) + " WHERE name IN " + names
                + " RETURNING 1) SELECT set_config('synchronous_commit', 'off', true), count(*) FROM done";
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
    String version() {
        return "SELECT version()";
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
    List<String> settings() {
        return List.of(
                "statement_timeout",
                "lock_timeout",
                "idle_in_transaction_session_timeout",
                "synchronous_commit",
                "tcp_user_timeout");
    }

    @Override
    String readSettings() {
        return "SELECT current_setting('" + String.join("'), current_setting('", settings()) + "')";
    }

    @Override
    String writeSettings(List<String> values) {
        StringBuilder all = new StringBuilder("UNLISTEN *");
        for (int i = 0; i < values.size(); i++) {
            all.append("; SET ")
                    .append(settings().get(i))
                    .append(" = '")
                    .append(values.get(i))
                    .append('\'');
        }
        return all.toString();
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
