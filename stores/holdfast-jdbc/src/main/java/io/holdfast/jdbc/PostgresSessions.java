package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.OwnerText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Advisory locks of PostgreSQL 14 and later. They are known to one database, and are served in order. */
final class PostgresSessions extends SessionDialect {

    private static final int OLDEST = 14;
    private static final String LOCK_TIMEOUT = "55P03";

    /** Whether a session has a lock. */
    private static final String HOLDS = "EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted"
            + " AND l.pid = %s AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE datname ="
            + " current_database()) AND ((l.classid::bigint << 32) | l.objid::bigint) = %s)";

    /** The row of a session is written anew; there may be one of a former session with the same number. */
    private static final String SAME_SLOT =
            "claim = excluded.claim, units = excluded.units, capacity = excluded.capacity,"
                    + " first_token = excluded.first_token, last_token = excluded.last_token, granted_at = excluded.granted_at,"
                    + " lease = excluded.lease, owner = excluded.owner";

    PostgresSessions(Dialect dialect, String table, String scope) {
        super(dialect, table, scope);
    }

    /** Whether what a row says is so: its session has the lock, for itself in slot 0 and shared in the others. */
    private static String isSo(String row) {
        return row + "claim IS NOT NULL AND "
                + HOLDS.formatted(
                        row + "session",
                        row + "lock_key AND l.mode = CASE " + row
                                + "slot WHEN 0 THEN 'ExclusiveLock' ELSE 'ShareLock' END");
    }

    @Override
    Capabilities.Sharing sharing() {
        return Capabilities.Sharing.READ_WRITE;
    }

    @Override
    void check(Connection one, Connection other) throws SQLException {
        int version = one.getMetaData().getDatabaseMajorVersion();
        if (version < OLDEST) {
            throw new IllegalArgumentException(
                    "Session locks need PostgreSQL " + OLDEST + " or later, which ends sessions of"
                            + " hosts that have vanished; this is " + version + ". Use JdbcStore.leaseTable().");
        }
        if (dialect.isSwapped(one, other)) {
            throw new IllegalArgumentException(
                    "A pooler between here and PostgreSQL swaps sessions (transaction mode): session"
                            + " locks would be taken on one and given back on another."
                            + " Connect to the server itself.");
        }
    }

    @Override
    void setLease(Session session, Duration lease) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("SET idle_session_timeout = " + lease.toMillis()
                    + "; SET client_connection_check_interval = '1s'; SET statement_timeout = 0; SET lock_timeout = "
                    + LONGEST_WAIT.toMillis());
        }
    }

    @Override
    boolean lock(Session session, Claim claim, Running running) throws SQLException {
        boolean waits = claim.mode() == Claim.Mode.WAIT;
        PreparedStatement statement = session.prepare(
                "SELECT " + (waits ? "pg_advisory_lock" : "pg_try_advisory_lock") + suffix(claim) + "(?)");
        statement.setLong(1, key(claim.name()));
        running.runs(statement);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return waits || row.getBoolean(1);
        } catch (SQLException failure) {
            if (LOCK_TIMEOUT.equals(failure.getSQLState())) {
                return false;
            }
            throw failure;
        }
    }

    private long key(String name) {
        return hash(scope(), name);
    }

    private static String suffix(Claim claim) {
        return isWhole(claim) ? "" : "_shared";
    }

    @Override
    Tokens grant(Session session, Claim claim) throws SQLException {
        return isWhole(claim) ? grantAll(session, claim) : grantPart(session, claim);
    }

    private Tokens grantAll(Session session, Claim claim) throws SQLException {
        String now = dialect.now();
        PreparedStatement statement = session.prepare(named("INSERT INTO holdfast_session AS s (name, slot, lock_key,"
                + " session, claim, units, capacity, first_token, last_token, granted_at, lease, owner) VALUES (?, 0, ?,"
                + " pg_backend_pid(), ?, ?, ?, " + now + ", " + now + " + ? - 1, " + now + ", ?, ?)"
                + " ON CONFLICT (name, slot) DO UPDATE SET lock_key = excluded.lock_key, session = excluded.session, claim = excluded.claim,"
                + " units = excluded.units, capacity = excluded.capacity, "
                + token("first_token") + ", " + token("last_token")
                + ", granted_at = excluded.granted_at, lease = excluded.lease, owner = excluded.owner"
                + " RETURNING first_token, last_token, session"));
        dialect.setName(statement, 1, claim.name());
        statement.setLong(2, key(claim.name()));
        statement.setString(3, claim.id().toString());
        statement.setInt(4, claim.units());
        statement.setInt(5, claim.capacity());
        statement.setLong(6, LeaseTable.tokens(claim));
        statement.setLong(7, LeaseTable.micros(claim.lease()));
        statement.setString(8, OwnerText.of(claim.owner()));
        return tokens(statement);
    }

    private static String token(String column) {
        return column + " = CASE WHEN s.last_token >= excluded.granted_at THEN s.last_token + 1 ELSE excluded." + column
                + " END";
    }

    /** One statement for both rows, so that it costs one commit. */
    private Tokens grantPart(Session session, Claim claim) throws SQLException {
        String now = dialect.now();
        PreparedStatement statement = session.prepare(named("WITH t AS (INSERT INTO holdfast_session AS s (name, slot,"
                + " lock_key, units, capacity, first_token, last_token, granted_at, lease) VALUES (?, 0, ?, 0, ?, "
                + now + ", " + now + ", " + now + ", 0) ON CONFLICT (name, slot) DO UPDATE SET claim = NULL,"
                + " granted_at = excluded.granted_at, " + token("first_token") + ", " + token("last_token")
                + " RETURNING name, lock_key, capacity, last_token)"
                + " INSERT INTO holdfast_session (name, slot, lock_key, session, claim, units, capacity, first_token,"
                + " last_token, granted_at, lease, owner) SELECT t.name, pg_backend_pid(), t.lock_key, pg_backend_pid(), ?,"
                + " ?, ?, t.last_token, t.last_token, " + now + ", ?, ? FROM t"
                + " ON CONFLICT (name, slot) DO UPDATE SET " + SAME_SLOT
                + " RETURNING first_token, last_token, session"));
        dialect.setName(statement, 1, claim.name());
        statement.setLong(2, key(claim.name()));
        statement.setInt(3, claim.capacity());
        statement.setString(4, claim.id().toString());
        statement.setInt(5, claim.units());
        statement.setInt(6, claim.capacity());
        statement.setLong(7, LeaseTable.micros(claim.lease()));
        statement.setString(8, OwnerText.of(claim.owner()));
        return tokens(statement);
    }

    private static Tokens tokens(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return new Tokens(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }

    /** Need not be on disk: what it says is believed only of a session that has the lock. */
    @Override
    boolean unlock(Session session, Claim claim, boolean again) throws SQLException {
        String gone = isWhole(claim)
                ? "UPDATE holdfast_session SET claim = NULL WHERE name = ? AND slot = 0 AND claim = ?"
                : "DELETE FROM holdfast_session WHERE name = ? AND slot = pg_backend_pid() AND claim = ?";
        PreparedStatement statement = session.prepare(named("WITH gone AS (" + gone + " RETURNING 1) SELECT"
                + " pg_advisory_unlock" + suffix(claim) + "(?), set_config('synchronous_commit', 'off', true),"
                + " (SELECT count(*) FROM gone)"));
        dialect.setName(statement, 1, claim.name());
        statement.setString(2, claim.id().toString());
        statement.setLong(3, key(claim.name()));
        try (ResultSet row = statement.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** To give back changes the row, which whoever revokes has locked. */
    @Override
    void settle(Session session, Claim before) {}

    @Override
    boolean holds(Session session, long id, Claim claim) throws SQLException {
        PreparedStatement statement =
                session.prepare("SELECT pg_backend_pid(), " + HOLDS.formatted("pg_backend_pid()", "?"));
        statement.setLong(1, key(claim.name()));
        try (ResultSet row = statement.executeQuery()) {
            return row.next() && row.getLong(1) == id && row.getBoolean(2);
        }
    }

    /**
     * The session that has it alone takes it shared too, which it gets at once, and only then gives up being alone. The row
     * changes while it has both, so that what the row says is always so.
     */
    @Override
    void share(Session session, Claim claim) throws SQLException {
        String now = dialect.now();
        PreparedStatement statement =
                session.prepare(named("WITH was AS (UPDATE holdfast_session SET claim = NULL WHERE"
                        + " name = ? AND slot = 0 AND claim = ? RETURNING *) INSERT INTO holdfast_session (name, slot, lock_key,"
                        + " session, claim, units, capacity, first_token, last_token, granted_at, lease, owner) SELECT name,"
                        + " session, lock_key, session, ?, ?, capacity, first_token, last_token, " + now
                        + ", lease, owner FROM was"
                        + " ON CONFLICT (name, slot) DO UPDATE SET " + SAME_SLOT));
        dialect.setName(statement, 1, claim.name());
        statement.setString(2, claim.id().toString());
        statement.setString(3, claim.id().toString());
        statement.setInt(4, claim.units());
        call(session, "pg_advisory_lock_shared", claim);
        statement.executeUpdate();
        call(session, "pg_advisory_unlock", claim);
    }

    private void call(Session session, String function, Claim claim) throws SQLException {
        PreparedStatement statement = session.prepare("SELECT " + function + "(?)");
        statement.setLong(1, key(claim.name()));
        try (ResultSet row = statement.executeQuery()) {
            row.next();
        }
    }

    @Override
    List<LockInfo> inspect(Session session, NameFilter filter) throws SQLException {
        boolean exact = filter.match() == NameFilter.Match.EXACT;
        PreparedStatement statement =
                session.prepare(named("SELECT s.name, s.capacity, s.owner, s.units, s.first_token,"
                        + " s.last_token, " + dialect.now() + " - s.granted_at, s.lease - (extract(epoch FROM"
                        + " statement_timestamp() - a.state_change) * 1000000)::bigint FROM holdfast_session s JOIN pg_stat_activity"
                        + " a ON a.pid = s.session WHERE "
                        + (exact
                                ? "s.name = ?"
                                : "s.name IN (SELECT h.name FROM holdfast_session h WHERE SUBSTR(h.name, 1,"
                                        + " LENGTH(?)) = ? AND " + isSo("h.")
                                        + " GROUP BY h.name ORDER BY h.name LIMIT ?)")
                        + " AND " + isSo("s.") + " ORDER BY s.name"));
        dialect.setName(statement, 1, filter.text());
        if (!exact) {
            dialect.setName(statement, 2, filter.text());
            statement.setInt(3, filter.limit());
        }
        Map<String, LockInfo> infos = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                LockInfo.Holder holder = new LockInfo.Holder(
                        OwnerText.parse(row.getString(3)),
                        row.getInt(4),
                        row.getLong(5),
                        (int) (row.getLong(6) - row.getLong(5) + 1),
                        LeaseTable.micros(Math.max(0, row.getLong(7))),
                        LeaseTable.micros(Math.max(1, row.getLong(8))));
                int capacity = row.getInt(2);
                infos.merge(
                        row.getString(1),
                        new LockInfo(row.getString(1), capacity, List.of(holder), 0, List.of()),
                        PostgresSessions::together);
            }
        }
        return new ArrayList<>(infos.values());
    }

    private static LockInfo together(LockInfo one, LockInfo other) {
        List<LockInfo.Holder> holders = new ArrayList<>(one.holders());
        holders.addAll(other.holders());
        return new LockInfo(one.name(), one.capacity(), holders, 0, List.of());
    }

    /**
     * The row is locked from the look at its token until the session has ended: a session that is giving the name back meanwhile
     * cannot go on with another claim.
     */
    @Override
    boolean revoke(Session session, String name, long token, Duration timeout) throws SQLException {
        PreparedStatement statement =
                session.prepare(named("SELECT pg_terminate_backend(s.session::int, ?) FROM (SELECT"
                        + " session, lock_key, slot, claim FROM holdfast_session WHERE name = ? AND first_token <= ? AND"
                        + " last_token >= ? FOR UPDATE) s WHERE " + isSo("s.")));
        statement.setLong(1, timeout.toMillis());
        dialect.setName(statement, 2, name);
        statement.setLong(3, token);
        statement.setLong(4, token);
        try (ResultSet row = statement.executeQuery()) {
            boolean found = row.next();
            if (found && !row.getBoolean(1)) {
                throw new SQLException("The session that has '" + name + "' has not ended within " + timeout + ".");
            }
            return found;
        }
    }

    @Override
    String unheld() {
        return "NOT (" + isSo("") + ")";
    }
}
