package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.MySqlDialect;
import io.holdfast.jdbc.internal.dialect.PostgresDialect;
import io.holdfast.jdbc.internal.dialect.SqlLists;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.support.LockInfos;
import io.holdfast.spi.support.OwnerFormat;
import java.nio.charset.StandardCharsets;
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
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** What differs between databases with session locks. Statements name the table {@code holdfast_session}. */
public abstract class SessionDialect {

    /** How long a statement waits for a lock, before it is checked whether the claim has been withdrawn. */
    static final Duration MAX_WAIT = Duration.ofSeconds(30);

    static final Duration PROBE_WAIT = Duration.ofSeconds(1);

    /** The state of a session that was killed, or of a statement that was cancelled. */
    static final String KILLED = "70100";

    private static final int CONNECTION_KILLED = 1927;

    public final Dialect dialect;
    private final String table;
    final String scope;
    final Capabilities.Sharing sharing;

    SessionDialect(Dialect dialect, String table, String scope, Capabilities.Sharing sharing) {
        this.dialect = dialect;
        this.table = table;
        this.scope = scope;
        this.sharing = sharing;
    }

    public static SessionDialect of(Dialect dialect, String table, String scope) {
        if (dialect instanceof PostgresDialect) {
            return new PostgresSessionDialect(dialect, table, scope);
        }
        if (dialect instanceof MySqlDialect) {
            return new MySqlSessionDialect(dialect, table, scope);
        }
        throw new IllegalArgumentException("Session locks are not supported on " + dialect.script()
                + ", only on PostgreSQL, MariaDB and MySQL. Use JdbcStore.leaseTable().");
    }

    /** The tokens of a grant, and the id of the session that has recorded them. */
    record Tokens(long first, long last, long session) {}

    /** Receives the statement that is about to be executed, so that it can be cancelled. */
    @FunctionalInterface
    interface BeforeExecution {
        void executing(Statement statement) throws SQLException;
    }

    /** Refuses servers on which session locks are not safe. */
    abstract void checkServer(Connection connection) throws SQLException;

    /** Refuses servers on which session locks are not safe, and poolers in transaction mode. The connections are dedicated. */
    public final void check(Connection one, Connection other) throws SQLException {
        checkServer(one);
        if (dialect.swapsSessions(one, other)) {
            throw new IllegalArgumentException(
                    "A pooler or a proxy in transaction mode is between Holdfast and the server: session locks would be acquired"
                            + " on one session and released on another. Connect to the server itself, or use JdbcStore.leaseTable().");
        }
    }

    /**
     * Refuses a source that keeps the sessions of closed connections, and with them the locks, as a pool does. A lock with a random key is
     * acquired on a connection, which is then closed, and has to become free for another one.
     */
    public final void checkClosing(ConnectionSource source, Connection other, Duration timeout) throws SQLException {
        long key = ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
        try (Session closing = source.open(timeout)) {
            probe(closing.connection(), key);
        }
        // The server ends a session a moment after its connection was closed.
        for (Duration waited = Duration.ZERO; waited.compareTo(timeout) < 0; waited = waited.plus(PROBE_WAIT)) {
            if (probe(other, key)) {
                return;
            }
        }
        throw new IllegalArgumentException(
                "The DataSource keeps the session of a connection that is closed, as a connection"
                        + " pool does, and with it the locks of that session. Use JdbcStore.sessionLocks(url), or the DataSource of"
                        + " the driver itself, or JdbcStore.leaseTable(dataSource).");
    }

    /** Whether the connection acquires the lock with that key within {@link #PROBE_WAIT}. */
    abstract boolean probe(Connection connection, long key) throws SQLException;

    /** Sets the idle-session timeout: the server ends the session if it is idle for longer. */
    abstract void setLease(Session session, Duration lease) throws SQLException;

    /** Acquires the lock if it is free, and writes the claim into the row with the next tokens; empty if the lock is held. */
    abstract Optional<Tokens> tryLock(Session session, Claim claim, BeforeExecution before) throws SQLException;

    /** The same, but waits for the lock, at most {@link #MAX_WAIT}. */
    abstract Optional<Tokens> waitForLock(Session session, Claim claim, BeforeExecution before) throws SQLException;

    /** Releases the lock; whether this session held it. */
    abstract boolean unlock(Session session, Claim claim) throws SQLException;

    /** Downgrades the exclusive lock of this session to a shared one, as the claim describes it. */
    void downgrade(Session session, Claim claim) throws SQLException {
        throw new IllegalStateException("Shared session locks are not supported on " + dialect.script() + ".");
    }

    /**
     * A query for the holders: name, capacity, owner, units, first token, last token, age and the remaining time of the lease. Parameter: the
     * name. For a prefix: the prefix, twice, and the largest number of names.
     */
    abstract String holders(NameFilter.Match match);

    /**
     * Ends the session that holds the lock with that token, and returns when it has ended. Meanwhile that session cannot release the lock: a
     * release waits for another lock, the guard of the name, which this session holds.
     */
    abstract boolean revoke(Session session, String name, long token, Duration timeout) throws SQLException;

    /** The condition that the lock of a row is not held. */
    abstract String notHeld();

    /** The key of the lock on the server. */
    abstract Object key(String name);

    /** A name as a parameter. */
    final Object name(String name) {
        return dialect.storesBytes() ? name.getBytes(StandardCharsets.UTF_8) : name;
    }

    final List<LockInfo> inspect(Session session, NameFilter filter) throws SQLException {
        Object text = name(filter.text());
        String query = holders(filter.match());
        PreparedStatement statement = filter.match() == NameFilter.Match.EXACT
                ? statement(session, query, text)
                : statement(session, query, text, text, filter.limit());
        Map<String, LockInfo> infos = new LinkedHashMap<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                int capacity = row.getInt(2);
                LockInfo.Holder holder = LockInfos.holder(
                        OwnerFormat.parse(row.getString(3)),
                        capacity,
                        row.getInt(4),
                        row.getLong(5),
                        (int) (row.getLong(6) - row.getLong(5) + 1),
                        Micros.toDuration(Math.max(0, row.getLong(7))),
                        Micros.toDuration(Math.max(1, row.getLong(8))));
                String name = dialect.name(row, 1);
                infos.merge(name, LockInfos.of(name, capacity, List.of(holder), 0, List.of()), (one, other) -> {
                    List<LockInfo.Holder> holders = new ArrayList<>(one.holders());
                    holders.addAll(other.holders());
                    return new LockInfo(name, one.kind(), one.permits(), holders, 0, List.of());
                });
            }
        }
        return new ArrayList<>(infos.values());
    }

    /** Removes rows of names that were not granted for the retention time and are not held. */
    final RowSweeper.Sql sweep(Duration retention) {
        String isOld = "granted_at < " + dialect.now() + " - " + Micros.of(retention);
        return new RowSweeper.Sql(
                RowSweeper.Sql.page(table, isOld),
                RowSweeper.Sql.lock(dialect, table),
                List.of("DELETE FROM " + table + " WHERE name IN " + SqlLists.placeholders(SqlLists.MAX_SIZE) + " AND "
                        + isOld + " AND " + notHeld()),
                retention);
    }

    /** The parameters of the statement that writes a claim: key, name, claim, units, capacity, tokens, lease, owner. */
    final List<Object> parameters(Claim claim) {
        return new ArrayList<>(List.of(
                key(claim.name()),
                name(claim.name()),
                claim.id().toString(),
                claim.units(),
                claim.capacity(),
                (long) Claims.tokens(claim),
                Micros.of(claim.lease()),
                OwnerFormat.of(claim.owner())));
    }

    /** Prepares the statement for the table, with these parameters. */
    final PreparedStatement statement(Session session, String sql, Object... parameters) throws SQLException {
        PreparedStatement prepared = session.prepare(sql.replace("holdfast_session", table));
        for (int i = 0; i < parameters.length; i++) {
            prepared.setObject(i + 1, parameters[i]);
        }
        return prepared;
    }

    /** The result of the statement that writes a claim; empty if it has written nothing. */
    static Optional<Tokens> tokens(ResultSet granted) throws SQLException {
        try (ResultSet row = granted) {
            return row.next()
                    ? Optional.of(new Tokens(row.getLong(1), row.getLong(2), row.getLong(3)))
                    : Optional.empty();
        }
    }

    static boolean isTrue(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            return row.next() && row.getBoolean(1);
        }
    }

    /** Whether the failure means that the session has ended, rather than that the statement has failed. */
    static boolean isEnd(Throwable failure) {
        return isEndByServer(failure)
                || state(failure).equals(KILLED)
                || state(failure).startsWith("08");
    }

    /** Whether the server reports that it has ended the session; a connection that is lost does not show that the session has ended. */
    static boolean isEndByServer(Throwable failure) {
        return state(failure).startsWith("57P")
                || (failure instanceof SQLException reported && reported.getErrorCode() == CONNECTION_KILLED);
    }

    private static String state(Throwable failure) {
        String state = failure instanceof SQLException reported ? reported.getSQLState() : null;
        return state == null ? "" : state;
    }
}
