package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.MySqlDialect;
import io.holdfast.jdbc.internal.dialect.NameHash;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** {@code GET_LOCK} of MySQL and MariaDB. It is known to one server, for all of its databases. */
final class MySqlSessionDialect extends SessionDialect {

    /** How many hexadecimal digits of the hash fit into the name of a lock. */
    private static final int DIGITS = 54;

    private static final long POLL_MILLIS = 5;
    private static final int NO_SUCH_SESSION = 1094;

    /*
     * Atomic: one statement finds the row by its key, locks it, and reads its newest version. Columns are set from left to right:
     * `last_token`, from which the first one is computed, is set after it.
     */
    private static final String GRANTED = "INSERT INTO holdfast_session (lock_key, name, slot, session, claim, units,"
            + " capacity, first_token, last_token, granted_at, lease, owner) SELECT ?, ?, 0, CONNECTION_ID(), ?, ?, ?, %1$s,"
            + " %1$s + ? - 1, %1$s, ?, ? FROM DUAL WHERE %2$s ON DUPLICATE KEY UPDATE session = VALUES(session),"
            + " claim = VALUES(claim), units = VALUES(units), capacity = VALUES(capacity), "
            + token("first_token") + ", " + token("last_token")
            + ", granted_at = VALUES(granted_at), lease = VALUES(lease), owner = VALUES(owner)";

    private static final String TOKENS = "first_token, last_token, session";
    private static final String RETURNING = " RETURNING " + TOKENS;

    MySqlSessionDialect(Dialect dialect, String table, String scope) {
        super(dialect, table, scope, Capabilities.Sharing.EXCLUSIVE_ONLY);
    }

    private static String token(String column) {
        return column + " = IF(last_token >= VALUES(granted_at), last_token + 1, VALUES(" + column + "))";
    }

    @Override
    void checkServer(Connection connection) throws SQLException {
        if (MySqlDialect.isGalera(connection)) {
            throw new IllegalArgumentException(
                    "Session locks are not supported on a Galera cluster (wsrep_on): GET_LOCK is known to"
                            + " one server only, and the others would grant the same lock again. Use JdbcStore.leaseTable(), with the"
                            + " same server for all clients.");
        }
    }

    @Override
    boolean probe(Connection connection, long key) throws SQLException {
        String answer = Dialect.queryValue(
                connection, "SELECT GET_LOCK('holdfast:probe:" + key + "', " + PROBE_WAIT.toSeconds() + ")");
        return "1".equals(answer);
    }

    /** In whole seconds, as the server counts. */
    @Override
    void setLease(Session session, Duration lease) throws SQLException {
        long seconds = Math.max(1, (lease.toMillis() + 999) / 1_000);
        Dialect.execute(session.connection(), "SET SESSION wait_timeout = " + seconds);
    }

    /**
     * In one statement where that can return the tokens, too: on MariaDB. Its condition is evaluated once, and before anything is written. It
     * does not wait: a statement that writes and waits would block a backup, and thereby all other writers. If the statement fails after it has
     * locked, the session is closed. A replica receives the row, not the statement, because the isolation is READ COMMITTED.
     */
    @Override
    Optional<Tokens> tryLock(Session session, Claim claim, BeforeExecution before) throws SQLException {
        if (!dialect.acquireReturnsRow()) {
            return lock(session, claim, 0, before);
        }
        PreparedStatement statement = granting(session, claim, "GET_LOCK(?, 0) = 1", RETURNING, key(claim.name()));
        before.executing(statement);
        return tokens(Dialect.rows(statement));
    }

    @Override
    Optional<Tokens> waitForLock(Session session, Claim claim, BeforeExecution before) throws SQLException {
        return lock(session, claim, MAX_WAIT.toSeconds(), before);
    }

    private Optional<Tokens> lock(Session session, Claim claim, long seconds, BeforeExecution before)
            throws SQLException {
        PreparedStatement statement = statement(session, "SELECT GET_LOCK(?, ?)", key(claim.name()), seconds);
        before.executing(statement);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            boolean got = row.getBoolean(1);
            if (row.wasNull()) {
                throw new SQLException("GET_LOCK failed: it was cancelled, or the server is out of memory.", KILLED);
            }
            if (!got) {
                return Optional.empty();
            }
        }
        if (dialect.acquireReturnsRow()) {
            return tokens(Dialect.rows(granting(session, claim, "TRUE", RETURNING)));
        }
        granting(session, claim, "TRUE", "").executeUpdate();
        String written = "SELECT " + TOKENS + " FROM holdfast_session WHERE name = ? AND slot = 0";
        return tokens(statement(session, written, name(claim.name())).executeQuery());
    }

    private PreparedStatement granting(Session session, Claim claim, String condition, String returning, Object... more)
            throws SQLException {
        List<Object> parameters = parameters(claim);
        parameters.addAll(List.of(more));
        return statement(session, GRANTED.formatted(dialect.now(), condition) + returning, parameters.toArray());
    }

    /**
     * Functions are called from left to right. The row is not changed, which saves a commit: it counts only while its session holds the lock.
     */
    @Override
    boolean unlock(Session session, Claim claim) throws SQLException {
        Object guard = guard(claim.name());
        String unlock = "SELECT GET_LOCK(?, 3600), RELEASE_LOCK(?), RELEASE_LOCK(?)";
        try (ResultSet row =
                statement(session, unlock, guard, key(claim.name()), guard).executeQuery()) {
            return row.next() && row.getBoolean(2);
        }
    }

    @Override
    String holders(NameFilter.Match match) {
        return "SELECT name, capacity, owner, units, first_token, last_token, " + dialect.now()
                + " - granted_at, lease FROM holdfast_session WHERE IS_USED_LOCK(lock_key) = session AND "
                + (match == NameFilter.Match.EXACT
                        ? "name = ?"
                        : "SUBSTR(name, 1, LENGTH(?)) = ? ORDER BY name LIMIT ?");
    }

    /** The guard is released with this session, which the server ends if it is idle in between. */
    @Override
    boolean revoke(Session session, String name, long token, Duration timeout) throws SQLException {
        setLease(session, timeout.plus(MAX_WAIT));
        Object guard = guard(name);
        if (!isTrue(statement(session, "SELECT GET_LOCK(?, ?)", guard, Math.max(1, timeout.toSeconds())))) {
            throw new SQLException("Another forced release of '" + name + "' has not ended within " + timeout
                    + ", so this one has changed nothing. Retry it.");
        }
        try {
            return kill(session, name, token, timeout);
        } finally {
            isTrue(statement(session, "SELECT RELEASE_LOCK(?)", guard));
        }
    }

    private boolean kill(Session session, String name, long token, Duration timeout) throws SQLException {
        // Waits for a session that is writing the row, with another token.
        String find = "SELECT session FROM holdfast_session WHERE name = ? AND first_token <= ? AND last_token >= ?"
                + " AND IS_USED_LOCK(lock_key) = session LOCK IN SHARE MODE";
        long holder;
        try (ResultSet row = statement(session, find, name(name), token, token).executeQuery()) {
            if (!row.next()) {
                return false;
            }
            holder = row.getLong(1);
        }
        try {
            Dialect.execute(session.connection(), "KILL " + holder);
        } catch (SQLException failure) {
            if (failure.getErrorCode() != NO_SUCH_SESSION) {
                throw failure;
            }
            // The session has ended by itself.
        }
        // The server sleeps, for a short time in each statement.
        String check = "SELECT IFNULL(IS_USED_LOCK(?), 0) <> ?, SLEEP(" + POLL_MILLIS / 1_000.0 + ")";
        PreparedStatement ended = statement(session, check, key(name), holder);
        for (long waited = 0; waited < timeout.toMillis(); waited += POLL_MILLIS) {
            if (isTrue(ended)) {
                return true;
            }
        }
        throw new SQLException("The session that holds '" + name + "' has not ended within " + timeout
                + ", so the lock may still be held. Inspect it, and retry the forced release.");
    }

    @Override
    String notHeld() {
        return "IS_USED_LOCK(lock_key) IS NULL";
    }

    /** A hash, because names may be longer than the server allows. */
    @Override
    Object key(String name) {
        return "holdfast:" + hash(name);
    }

    private Object guard(String name) {
        return "holdfast." + hash(name);
    }

    private String hash(String name) {
        return HexFormat.of().formatHex(NameHash.digest(scope, name)).substring(0, DIGITS);
    }
}
