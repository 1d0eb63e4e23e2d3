package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.NameHash;
import io.holdfast.jdbc.internal.dialect.PostgresDialect;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Advisory locks of PostgreSQL 14 and later. They are known to one database, which serves its waiting sessions in order. */
final class PostgresSessionDialect extends SessionDialect {

    private static final int OLDEST = 14;
    private static final int WITH_TRANSACTION_TIMEOUT = 17;

    /** The guard, another lock, which is shared until the end of the statement; a forced release holds it exclusively. Parameter: the key. */
    private static final String GUARDED = "WITH guarded AS MATERIALIZED (SELECT key, pg_advisory_xact_lock_shared(~key)"
            + " FROM (VALUES (?::bigint)) k(key))";

    /*
     * Atomic: it is one statement, and it locks before it writes: each part reads from the one before, and a part that is
     * materialized is evaluated once. The clock is read when the session has the lock; statement_timestamp() would be from before. A row that was
     * committed after the statement began is nevertheless the one that is updated: INSERT ... ON CONFLICT DO UPDATE locks
     * the newest version, at READ COMMITTED also one that its snapshot does not show. So the tokens follow those of the session
     * that had the lock before, which has committed its row before it could release the lock. If the statement fails, the
     * lock may remain held, but the session is closed then.
     */
    private static final String GRANTED = GUARDED
            + ", locked AS MATERIALIZED (SELECT key, %s AS got FROM guarded),"
            + " t AS MATERIALIZED (SELECT key, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now,"
            + " ?::text AS name, ?::text AS claim, ?::integer AS units, ?::integer AS capacity, ?::bigint AS tokens,"
            + " ?::bigint AS lease, ?::text AS owner FROM locked WHERE got)";

    private static final String COLUMNS =
            " (name, slot, lock_key, session, claim, units, capacity, first_token, last_token, granted_at, lease, owner) ";

    private static final String UPDATED =
            " ON CONFLICT (name, slot) DO UPDATE SET session = excluded.session, claim = excluded.claim, units = excluded.units,"
                    + " capacity = excluded.capacity, granted_at = excluded.granted_at, lease = excluded.lease,"
                    + " owner = excluded.owner, ";

    /** The row belongs to this session, or belonged to an earlier one with the same id. */
    private static final String SAME_TOKENS = "first_token = excluded.first_token, last_token = excluded.last_token";

    private static final String NEXT_TOKENS = token("first_token") + ", " + token("last_token");

    private static final String RETURNING = " RETURNING first_token, last_token, session";

    private static final String EXCLUSIVE = GRANTED + " INSERT INTO holdfast_session AS s" + COLUMNS
            + "SELECT name, 0, key, pg_backend_pid(), claim, units, capacity, now, now + tokens - 1, now, lease, owner FROM t"
            + UPDATED + NEXT_TOKENS + RETURNING;

    /** Readers have a row each; their tokens come from slot 0. */
    private static final String SHARED = GRANTED + ", next AS (INSERT INTO holdfast_session AS s" + COLUMNS
            + "SELECT name, 0, key, NULL, NULL, 0, capacity, now, now, now, 0, NULL FROM t"
            + UPDATED + NEXT_TOKENS + " RETURNING last_token)"
            + " INSERT INTO holdfast_session" + COLUMNS
            + "SELECT name, pg_backend_pid(), key, pg_backend_pid(), claim, units, capacity, last_token, last_token, now, lease,"
            + " owner FROM t, next" + UPDATED + SAME_TOKENS + RETURNING;

    PostgresSessionDialect(Dialect dialect, String table, String scope) {
        super(dialect, table, scope, Capabilities.Sharing.READ_WRITE);
    }

    private static String token(String column) {
        return column + " = CASE WHEN s.last_token >= excluded.granted_at THEN s.last_token + 1 ELSE excluded." + column
                + " END";
    }

    /** Whether the session of a row holds its lock: exclusive in slot 0, shared in the others. */
    private static String isHeld(String row) {
        return ("%1$sclaim IS NOT NULL AND EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted"
                        + " AND l.pid = %1$ssession AND l.objsubid = 1 AND l.database = (SELECT oid FROM pg_database WHERE"
                        + " datname = current_database()) AND ((l.classid::bigint << 32) | l.objid::bigint) = %1$slock_key"
                        + " AND l.mode = CASE %1$sslot WHEN 0 THEN 'ExclusiveLock' ELSE 'ShareLock' END)")
                .formatted(row);
    }

    @Override
    void checkServer(Connection connection) throws SQLException {
        int version = connection.getMetaData().getDatabaseMajorVersion();
        if (version < OLDEST) {
            throw new IllegalArgumentException("Session locks need PostgreSQL " + OLDEST
                    + " or later, which ends sessions of hosts that have vanished; this is " + version
                    + ". Use JdbcStore.leaseTable().");
        }
    }

    @Override
    boolean probe(Connection connection, long key) throws SQLException {
        try {
            Dialect.execute(connection, "SET statement_timeout = 0; SET lock_timeout = " + PROBE_WAIT.toMillis());
            Dialect.execute(connection, "SELECT pg_advisory_lock(" + key + ")");
            return true;
        } catch (SQLException failure) {
            if (isLockTimeout(failure)) {
                return false;
            }
            throw failure;
        }
    }

    /** Turns off all timeouts but the idle-session timeout, which is the length of the lease, and the lock timeout for a part of a wait. */
    @Override
    void setLease(Session session, Duration lease) throws SQLException {
        Connection connection = session.connection();
        int version = connection.getMetaData().getDatabaseMajorVersion();
        Dialect.execute(
                connection,
                "SET idle_session_timeout = " + lease.toMillis()
                        + "; SET client_connection_check_interval = '1s'; SET statement_timeout = 0; SET lock_timeout = "
                        + MAX_WAIT.toMillis() + "; SET synchronous_commit = off"
                        + (version < WITH_TRANSACTION_TIMEOUT ? "" : "; SET transaction_timeout = 0"));
    }

    @Override
    Optional<Tokens> tryLock(Session session, Claim claim, BeforeExecution before) throws SQLException {
        String got = "pg_try_advisory_lock" + suffix(claim) + "(key)";
        PreparedStatement statement =
                statement(session, grant(claim, got), parameters(claim).toArray());
        before.executing(statement);
        return tokens(Dialect.rows(statement));
    }

    /**
     * Two statements in one request, so that the second one, which locks the table and has its own snapshot, does not begin before the wait has
     * ended. If the second one times out, the session holds the lock, and has written nothing.
     */
    @Override
    Optional<Tokens> waitForLock(Session session, Claim claim, BeforeExecution before) throws SQLException {
        String wait = "SELECT pg_advisory_lock" + suffix(claim) + "(?); ";
        List<Object> parameters = parameters(claim);
        parameters.add(0, key(claim.name()));
        PreparedStatement statement = statement(session, wait + grant(claim, "true"), parameters.toArray());
        before.executing(statement);
        try {
            statement.execute();
            if (!statement.getMoreResults()) {
                throw new SQLException("The statement was executed, but returned no rows.");
            }
            return tokens(statement.getResultSet());
        } catch (SQLException failure) {
            if (isLockTimeout(failure)) {
                Dialect.execute(session.connection(), "SELECT pg_advisory_unlock_all()");
                return Optional.empty();
            }
            throw failure;
        }
    }

    private static boolean isLockTimeout(SQLException failure) {
        return PostgresDialect.LOCK_TIMEOUT.equals(failure.getSQLState());
    }

    private static String grant(Claim claim, String got) {
        return (Claims.isExclusive(claim) ? EXCLUSIVE : SHARED).formatted(got);
    }

    private static String suffix(Claim claim) {
        return Claims.isExclusive(claim) ? "" : "_shared";
    }

    /** The row in slot 0 is not changed: it counts only while its session holds the lock. */
    @Override
    boolean unlock(Session session, Claim claim) throws SQLException {
        String unlock = " SELECT pg_advisory_unlock" + suffix(claim) + "(key) FROM guarded";
        Object key = key(claim.name());
        if (Claims.isExclusive(claim)) {
            return isTrue(statement(session, GUARDED + unlock, key));
        }
        String gone = ", gone AS (DELETE FROM holdfast_session WHERE name = ? AND slot = pg_backend_pid())";
        return isTrue(statement(session, GUARDED + gone + unlock, key, claim.name()));
    }

    /**
     * The session acquires the shared lock in addition to the exclusive one, which succeeds at once, and only then releases the exclusive one.
     * The row is changed while it holds both, so it is correct all the time.
     */
    @Override
    void downgrade(Session session, Claim claim) throws SQLException {
        Object key = key(claim.name());
        String id = claim.id().toString();
        isTrue(statement(session, "SELECT true FROM pg_advisory_lock_shared(?)", key));
        String moved = "WITH was AS (UPDATE holdfast_session SET claim = NULL WHERE name = ? AND slot = 0 AND claim = ?"
                + " RETURNING *) INSERT INTO holdfast_session" + COLUMNS
                + "SELECT name, session, lock_key, session, ?, ?, capacity, first_token, last_token, " + dialect.now()
                + ", lease, owner FROM was" + UPDATED + SAME_TOKENS;
        statement(session, moved, claim.name(), id, id, claim.units()).executeUpdate();
        isTrue(statement(session, "SELECT pg_advisory_unlock(?)", key));
    }

    @Override
    String holders(NameFilter.Match match) {
        return "SELECT s.name, s.capacity, s.owner, s.units, s.first_token, s.last_token, " + dialect.now()
                + " - s.granted_at, s.lease - (extract(epoch FROM statement_timestamp() - a.state_change) * 1000000)::bigint"
                + " FROM holdfast_session s JOIN pg_stat_activity a ON a.pid = s.session WHERE "
                + (match == NameFilter.Match.EXACT
                        ? "s.name = ?"
                        : "s.name IN (SELECT h.name FROM holdfast_session h WHERE SUBSTR(h.name, 1, LENGTH(?)) = ? AND "
                                + isHeld("h.") + " GROUP BY h.name ORDER BY h.name LIMIT ?)")
                + " AND " + isHeld("s.") + " ORDER BY s.name";
    }

    @Override
    boolean revoke(Session session, String name, long token, Duration timeout) throws SQLException {
        return session.inTransaction(same -> {
            statement(same, "SELECT pg_advisory_xact_lock(~?::bigint)", key(name))
                    .execute();
            return terminate(same, name, token, timeout);
        });
    }

    /** Does not end a session that waits for the guard: it is releasing the lock, or holds it for another claim, which is not written yet. */
    private boolean terminate(Session session, String name, long token, Duration timeout) throws SQLException {
        String terminate = "SELECT pg_terminate_backend(s.session::int, ?) FROM holdfast_session s"
                + " WHERE name = ? AND first_token <= ? AND last_token >= ? AND " + isHeld("s.")
                + " AND NOT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = s.session AND NOT w.granted)";
        try (ResultSet row = statement(session, terminate, timeout.toMillis(), name, token, token)
                .executeQuery()) {
            boolean found = row.next();
            if (found && !row.getBoolean(1)) {
                throw new SQLException("The session that holds '" + name + "' has not ended within " + timeout
                        + ", so the lock may still be held. Inspect it, and retry the forced release.");
            }
            return found;
        }
    }

    @Override
    String notHeld() {
        return "NOT (" + isHeld("") + ")";
    }

    @Override
    Object key(String name) {
        return NameHash.of(scope, name);
    }
}
