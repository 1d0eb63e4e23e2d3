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
import java.util.HexFormat;
import java.util.List;

/** {@code GET_LOCK} of MySQL and MariaDB. It is known to one server, with all of its databases. */
final class MySqlSessions extends SessionDialect {

    /** As many hexadecimal digits of the hash as a lock's name has room for. */
    private static final int DIGITS = 54;

    /**
     * The row is locked until the lock is given back: while somebody revokes that lock, this session cannot give it back and go
     * on with another. A row that is found by its whole key would be unlocked before, hence {@code slot < 1}.
     */
    static final String UNLOCK =
            "SELECT RELEASE_LOCK(?) FROM holdfast_session WHERE name = ? AND slot < 1 LOCK IN SHARE MODE";

    private static final long PAUSE_MILLIS = 5;
    private static final long NOBODY = -1;
    private static final int NO_SUCH_SESSION = 1094;

    MySqlSessions(Dialect dialect, String table, String scope) {
        super(dialect, table, scope);
    }

    @Override
    Capabilities.Sharing sharing() {
        return Capabilities.Sharing.EXCLUSIVE_ONLY;
    }

    @Override
    void check(Connection one, Connection other) throws SQLException {
        if (MySql.isGalera(one)) {
            throw new IllegalArgumentException(
                    "This server is one of a Galera cluster (wsrep_on), and GET_LOCK is known to one"
                            + " server only: the others would give the same lock again. Use JdbcStore.leaseTable(), with the same"
                            + " server for all.");
        }
        if (dialect.isSwapped(one, other)) {
            throw new IllegalArgumentException(
                    "A proxy between here and the server swaps sessions: session locks would be taken"
                            + " on one and given back on another. Connect to the server itself, or use JdbcStore.leaseTable().");
        }
    }

    /** The server counts in whole seconds. */
    @Override
    void setLease(Session session, Duration lease) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("SET SESSION wait_timeout = " + Math.max(1, (lease.toMillis() + 999) / 1_000));
        }
    }

    @Override
    boolean lock(Session session, Claim claim, Running running) throws SQLException {
        PreparedStatement statement = session.prepare("SELECT GET_LOCK(?, ?)");
        statement.setString(1, key(claim.name()));
        statement.setLong(2, claim.mode() == Claim.Mode.WAIT ? LONGEST_WAIT.toSeconds() : 0);
        running.runs(statement);
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            int answer = row.getInt(1);
            if (row.wasNull()) {
                throw new SQLException("GET_LOCK has failed: it was interrupted, or the server has no memory.", KILLED);
            }
            return answer == 1;
        }
    }

    /** {@code holdfast:} and a hash; names may be longer than what the server takes. */
    private String key(String name) {
        return "holdfast:" + HexFormat.of().formatHex(digest(scope(), name)).substring(0, DIGITS);
    }

    @Override
    Tokens grant(Session session, Claim claim) throws SQLException {
        String now = dialect.now();
        // Columns are set from left to right: `last_token`, by which the first is computed, comes after it.
        String insert = named("INSERT INTO holdfast_session (name, slot, lock_key, session, claim, units, capacity,"
                + " first_token, last_token, granted_at, lease, owner) VALUES (?, 0, ?, CONNECTION_ID(), ?, ?, ?, "
                + now
                + ", " + now + " + ? - 1, " + now
                + ", ?, ?) ON DUPLICATE KEY UPDATE lock_key = VALUES(lock_key), session = VALUES(session),"
                + " claim = VALUES(claim), units = VALUES(units), capacity = VALUES(capacity), "
                + token("first_token") + ", " + token("last_token")
                + ", granted_at = VALUES(granted_at), lease = VALUES(lease), owner = VALUES(owner)");
        PreparedStatement statement = session.prepare(
                dialect.takeAnswers() ? insert + " RETURNING first_token, last_token, session" : insert);
        dialect.setName(statement, 1, claim.name());
        statement.setString(2, key(claim.name()));
        statement.setString(3, claim.id().toString());
        statement.setInt(4, claim.units());
        statement.setInt(5, claim.capacity());
        statement.setLong(6, LeaseTable.tokens(claim));
        statement.setLong(7, LeaseTable.micros(claim.lease()));
        statement.setString(8, OwnerText.of(claim.owner()));
        if (!dialect.takeAnswers()) {
            statement.executeUpdate();
            statement = session.prepare(
                    named("SELECT first_token, last_token, session FROM holdfast_session WHERE name = ? AND slot = 0"));
            dialect.setName(statement, 1, claim.name());
        }
        try (ResultSet row = Dialect.rows(statement)) {
            row.next();
            return new Tokens(row.getLong(1), row.getLong(2), row.getLong(3));
        }
    }

    private static String token(String column) {
        return column + " = IF(last_token >= VALUES(granted_at), last_token + 1, VALUES(" + column + "))";
    }

    /**
     * The row is left as it is, which saves a commit: what it says is believed only of a session that has the lock. If the
     * session takes the same lock again, and the old token is revoked before the new one is written, it ends without a grant.
     */
    @Override
    boolean unlock(Session session, Claim claim, boolean again) throws SQLException {
        if (again) {
            return unlock(session, claim);
        }
        PreparedStatement statement = session.prepare(named(UNLOCK));
        statement.setString(1, key(claim.name()));
        dialect.setName(statement, 2, claim.name());
        try (ResultSet row = statement.executeQuery()) {
            if (row.next()) {
                return row.getInt(1) == 1;
            }
        }
        // Somebody has removed the row.
        return unlock(session, claim);
    }

    /** Costs a third less without the row. */
    private boolean unlock(Session session, Claim claim) throws SQLException {
        PreparedStatement statement = session.prepare("SELECT RELEASE_LOCK(?)");
        statement.setString(1, key(claim.name()));
        try (ResultSet row = statement.executeQuery()) {
            return row.next() && row.getInt(1) == 1;
        }
    }

    /**
     * Who revokes has the row locked from before it looks whether this session has the lock until it has ended it. So who looked
     * before the lock was given back is done when the row can be locked here, and who looks later sees that it was.
     */
    @Override
    void settle(Session session, Claim before) throws SQLException {
        PreparedStatement statement =
                session.prepare(named("SELECT 1 FROM holdfast_session WHERE name = ? AND slot = 0 LOCK IN SHARE MODE"));
        dialect.setName(statement, 1, before.name());
        statement.executeQuery().close();
    }

    @Override
    boolean holds(Session session, long id, Claim claim) throws SQLException {
        PreparedStatement statement = session.prepare("SELECT CONNECTION_ID(), IS_USED_LOCK(?)");
        statement.setString(1, key(claim.name()));
        try (ResultSet row = statement.executeQuery()) {
            return row.next() && row.getLong(1) == id && row.getLong(2) == id;
        }
    }

    @Override
    void share(Session session, Claim claim) {
        throw new IllegalStateException("GET_LOCK has no shared locks");
    }

    @Override
    List<LockInfo> inspect(Session session, NameFilter filter) throws SQLException {
        boolean exact = filter.match() == NameFilter.Match.EXACT;
        PreparedStatement statement =
                session.prepare(named("SELECT name, capacity, owner, units, first_token, last_token, "
                        + dialect.now() + " - granted_at, lease FROM holdfast_session WHERE "
                        + (exact ? "name = ?" : "SUBSTR(name, 1, LENGTH(?)) = ?")
                        + " AND IS_USED_LOCK(lock_key) = session ORDER BY name LIMIT ?"));
        dialect.setName(statement, 1, filter.text());
        if (!exact) {
            dialect.setName(statement, 2, filter.text());
        }
        statement.setInt(exact ? 2 : 3, filter.limit());
        List<LockInfo> infos = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                LockInfo.Holder holder = new LockInfo.Holder(
                        OwnerText.parse(row.getString(3)),
                        row.getInt(4),
                        row.getLong(5),
                        (int) (row.getLong(6) - row.getLong(5) + 1),
                        LeaseTable.micros(Math.max(0, row.getLong(7))),
                        LeaseTable.micros(row.getLong(8)));
                infos.add(new LockInfo(dialect.name(row, 1), row.getInt(2), List.of(holder), 0, List.of()));
            }
        }
        return infos;
    }

    /** The row stays locked until the session has been told to end, so it has nothing else by then: see {@link #settle}. */
    @Override
    boolean revoke(Session session, String name, long token, Duration timeout) throws SQLException {
        long victim = session.inTransaction(same -> kill(same, name, token));
        if (victim == NOBODY) {
            return false;
        }
        // The server does the waiting, a little at a time.
        PreparedStatement look = session.prepare("SELECT IS_USED_LOCK(?), SLEEP(" + PAUSE_MILLIS / 1_000.0 + ")");
        look.setString(1, key(name));
        for (long waited = 0; waited < timeout.toMillis(); waited += PAUSE_MILLIS) {
            try (ResultSet row = look.executeQuery()) {
                row.next();
                if (row.getLong(1) != victim) {
                    return true;
                }
            }
        }
        throw new SQLException("The session that has '" + name + "' has not ended within " + timeout + ".");
    }

    private long kill(Session session, String name, long token) throws SQLException {
        PreparedStatement find = session.prepare(
                named(
                        "SELECT session FROM holdfast_session WHERE name = ? AND first_token <= ? AND last_token >= ? AND IS_USED_LOCK(lock_key) = session FOR UPDATE"));
        dialect.setName(find, 1, name);
        find.setLong(2, token);
        find.setLong(3, token);
        try (ResultSet row = find.executeQuery()) {
            if (!row.next()) {
                return NOBODY;
            }
            long victim = row.getLong(1);
            try (Statement kill = session.connection().createStatement()) {
                kill.execute("KILL " + victim);
            } catch (SQLException failure) {
                if (failure.getErrorCode() != NO_SUCH_SESSION) {
                    throw failure;
                }
                // It has ended by itself.
            }
            return victim;
        }
    }

    @Override
    String unheld() {
        return "IS_USED_LOCK(lock_key) IS NULL";
    }
}
