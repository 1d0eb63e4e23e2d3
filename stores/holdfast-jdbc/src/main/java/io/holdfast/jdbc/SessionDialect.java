package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** How a database locks for a session. Statements name the table {@code holdfast_session}. */
abstract class SessionDialect {

    /** For how long a session waits at most before it looks whether somebody still wants the lock. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    static final String KILLED = "70100";

    final Dialect dialect;
    private final String table;
    private final String scope;

    SessionDialect(Dialect dialect, String table, String scope) {
        this.dialect = dialect;
        this.table = table;
        this.scope = scope;
    }

    static SessionDialect of(Dialect dialect, String table, String scope) {
        if (dialect instanceof Postgres) {
            return new PostgresSessions(dialect, table, scope);
        }
        if (dialect instanceof MySql) {
            return new MySqlSessions(dialect, table, scope);
        }
        throw new IllegalArgumentException("There are no session locks on " + dialect.script()
                + ": only PostgreSQL, MariaDB and MySQL have them. Use JdbcStore.leaseTable().");
    }

    /**
     * The tokens of a grant.
     *
     * @param first the first
     * @param last the last
     * @param session who has written them
     */
    record Tokens(long first, long last, long session) {}

    abstract Capabilities.Sharing sharing();

    /** Refuses servers on which session locks do not hold. The connections are two of our own. */
    abstract void check(Connection one, Connection other) throws SQLException;

    /** A number by which the server knows the session. */
    final long id(Session session) throws SQLException {
        return dialect.id(session.connection());
    }

    /** The server ends the session if it hears nothing for so long. */
    abstract void setLease(Session session, Duration lease) throws SQLException;

    /**
     * Takes the lock, or waits for it, at most {@link #LONGEST_WAIT}.
     *
     * @param running is told the statement, so that it can be cancelled
     */
    abstract boolean lock(Session session, Claim claim, Running running) throws SQLException;

    /** Knows what a session is doing. */
    @FunctionalInterface
    interface Running {
        void runs(Statement statement) throws SQLException;
    }

    /** Writes down who has the lock, which this session does, with the next tokens. On disk when it returns. */
    abstract Tokens grant(Session session, Claim claim) throws SQLException;

    /**
     * Gives the lock back; whether this session had it. Nobody can end the session for it any more, unless it is to take the
     * same lock again: whoever has changed his mind about that calls {@link #settle}.
     */
    abstract boolean unlock(Session session, Claim claim, boolean again) throws SQLException;

    /** Returns when nobody can end the session any more for what it has given back. */
    abstract void settle(Session session, Claim before) throws SQLException;

    /** Whether this is still the session of that id, and has the lock. Resets the time after which the server ends it. */
    abstract boolean holds(Session session, long id, Claim claim) throws SQLException;

    /** One who is alone goes on beside others. */
    abstract void share(Session session, Claim claim) throws SQLException;

    abstract List<LockInfo> inspect(Session session, NameFilter filter) throws SQLException;

    /** Ends the session that has the lock with that token, and returns when it has ended. */
    abstract boolean revoke(Session session, String name, long token, Duration timeout) throws SQLException;

    /** Removes some of what is left of holders that are gone and of names that nobody uses. */
    final String sweep(Duration retention) {
        String old = "granted_at < " + dialect.now() + " - " + LeaseTable.micros(retention);
        return dialect.deleteSome(table, old + " AND " + unheld(), Sweeping.AT_ONCE);
    }

    /** That the lock of a row is not held. */
    abstract String unheld();

    /** Whether it tells that the session has ended, rather than that something is wrong with the statement. */
    static boolean isEnd(SQLException failure) {
        String state = failure.getSQLState();
        return state != null && (state.startsWith("08") || state.startsWith("57P") || state.equals(KILLED));
    }

    final String named(String statement) {
        return statement.replace("holdfast_session", table);
    }

    static boolean isWhole(Claim claim) {
        return claim.units() == claim.capacity();
    }

    /** 64 bits for a name: that two names in use have the same is as good as impossible, and would only make one wait. */
    static long hash(String scope, String name) {
        return ByteBuffer.wrap(digest(scope, name)).getLong();
    }

    static byte[] digest(String scope, String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(scope.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return digest.digest(name.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java has SHA-256", impossible);
        }
    }

    /** What the locks of this table are told apart by. */
    final String scope() {
        return scope;
    }
}
