package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.MySqlDialect;
import io.holdfast.jdbc.internal.dialect.NameHash;
import io.holdfast.jdbc.internal.dialect.SqlLists;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.spi.Claim;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The SQL statements on one lease table. Each is atomic by itself; those for holders of a part of a name are used in a transaction that has
 * locked the row of the name before.
 */
public final class LeaseSql {

    private static final String DEFAULT_TABLE = "holdfast_lease";

    /** Locks the row until the transaction ends. Parameter: name. */
    static final String LOCK_ROW = "SELECT {columns} FROM holdfast_lease WHERE name = ?{lock}";

    /** The same, and fails at once if the row is locked. */
    static final String LOCK_ROW_NOWAIT = LOCK_ROW + "{no wait}";

    /** Reads rows with their names. Parameters: names. */
    static final String READ_ROWS = "SELECT {columns}, name FROM holdfast_lease WHERE name IN {list}";

    /** Locks those rows that no other session has locked, and reads them with their names. Parameters: names. */
    static final String LOCK_ROWS_SKIP_LOCKED = READ_ROWS + "{lock}{skip locked}";

    /**
     * Extends leases that have not expired, and never shortens one: one UPDATE, atomic for each row. Parameters: lease, lease, names, claims. An
     * id belongs to one claim, and a claim to one name, so the two lists need not be pairs.
     */
    static final String RENEW = "UPDATE holdfast_lease SET ends_at = CASE WHEN ends_at < {now} + ? THEN {now} + ?"
            + " ELSE ends_at END WHERE name IN {list} AND claim IN {list} AND ends_at > {now}";

    /** Reserves the name for a waiting claim, atomically, unless it is reserved. Parameters: claim, time, name, claim. */
    static final String RESERVE = "UPDATE holdfast_lease SET next_claim = ?, next_until = {now} + ? WHERE name = ? AND "
            + Dialect.isNotReserved("next_claim", "next_until", "?", "{now}");

    /** Removes the reservation of a claim. Parameters: name, claim. */
    static final String UNRESERVE = "UPDATE holdfast_lease SET next_claim = NULL WHERE name = ? AND next_claim = ?";

    /**
     * Writes a row that this transaction has locked. Parameters: capacity, claim, first token, last token, granted at, ends at, owner, next
     * claim, next until, ended, the queue if there is one, name.
     */
    static final String UPDATE_ROW =
            "UPDATE holdfast_lease SET capacity = ?, claim = ?, first_token = ?, last_token = ?,"
                    + " granted_at = ?, ends_at = ?, owner = ?, next_claim = ?, next_until = ?, ended = ?{queue} WHERE name = ?";

    /**
     * Parameters: names. It also reads the clock, so that no database returns a cached result: H2 would, if a statement outside of a transaction
     * was executed while another session committed.
     */
    private static final String READ_HOLDERS =
            "SELECT claim, units, first_token, last_token, granted_at, ends_at, owner, name, {now}"
                    + " FROM holdfast_lease_share WHERE name IN {list}";

    /** Parameters: name, claim, units, first token, last token, granted at, ends at, owner. */
    static final String INSERT_HOLDER = "INSERT INTO holdfast_lease_share"
            + " (name, claim, units, first_token, last_token, granted_at, ends_at, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

    /** Parameters: units, ends at, name, claim. */
    static final String UPDATE_HOLDER =
            "UPDATE holdfast_lease_share SET units = ?, ends_at = ? WHERE name = ? AND claim = ?";

    /** Parameters: name, claim. */
    static final String DELETE_HOLDER = "DELETE FROM holdfast_lease_share WHERE name = ? AND claim = ?";

    /** Names that are held, in order. Parameter: the first. */
    static final String INSPECT_FROM =
            "SELECT {columns}, name FROM holdfast_lease WHERE name >= ? AND ends_at > {now} ORDER BY name";

    /** Names that are held, in a range. Parameters: the first, and the first one after the range. */
    static final String INSPECT_RANGE = INSPECT_FROM.replace("name >= ?", "name >= ? AND name < ?");

    /**
     * The name with which the next page begins, held or not. It has no upper bound, for which PostgreSQL would read and sort all names in between
     * as long as it has no statistics. Parameter: the first name of this page.
     */
    static final String NEXT_PAGE = "SELECT name FROM holdfast_lease WHERE name >= ? ORDER BY name LIMIT 1 OFFSET 5000";

    private final Dialect dialect;
    private final String table;
    private final String channel;

    /** By statement, and by the length of its lists if it has any. */
    private final Map<String, String> texts = new ConcurrentHashMap<>();

    /** See {@link Dialect#acquire()}. */
    public final @Nullable String acquire;

    /** See {@link Dialect#acquireOrEnqueue()}. */
    public final @Nullable String acquireOrEnqueue;

    /** See {@link Dialect#release()}. */
    public final String release;

    /** See {@link Dialect#handOver()}. */
    public final @Nullable String handOver;

    /** See {@link Dialect#relaxedDurability()}. */
    final @Nullable String relaxedDurability;

    /** See {@link Dialect#ensureRow()}. */
    final String ensureRow;

    /** See {@link Dialect#notifyWaiter()}. */
    final @Nullable String notifyWaiter;

    /** @param identity see {@link Dialect#identity} */
    public LeaseSql(Dialect dialect, String table, String identity) {
        this.dialect = dialect;
        this.table = table;
        // A channel has at most 63 characters.
        this.channel = "holdfast_" + Long.toHexString(NameHash.of("lease", identity));
        this.acquire = dialect.acquire();
        this.acquireOrEnqueue = dialect.acquireOrEnqueue();
        this.release = dialect.release();
        this.handOver = dialect.handOver();
        this.relaxedDurability = dialect.relaxedDurability();
        this.ensureRow = dialect.ensureRow();
        this.notifyWaiter = dialect.notifyWaiter();
    }

    /** The name of a lock, as a parameter: some databases store names as bytes. */
    record Name(String text) {}

    static List<Name> names(List<Claim> claims) {
        return claims.stream().map(claim -> new Name(claim.name())).toList();
    }

    boolean hasQueue() {
        return notifyWaiter != null;
    }

    PreparedStatement prepare(Session session, String statement, @Nullable Object... values) throws SQLException {
        int size = 0;
        for (Object value : values) {
            size = value instanceof List<?> list ? SqlLists.sizeFor(list) : size;
        }
        return bind(session.prepare(text(statement, size)), values);
    }

    /**
     * Acquires the whole name if it is free, by the given statement. Returns the row as it is then.
     *
     * @param entryLifetime after how many microseconds an entry in the wait queue expires
     */
    LeaseRow acquire(Session session, String statement, Claim claim, long entryLifetime) throws SQLException {
        List<Object> wanted = new ArrayList<>(Arrays.asList(
                new Name(claim.name()),
                claim.capacity(),
                claim.id(),
                Claims.tokens(claim),
                Micros.of(claim.lease()),
                WaitQueue.owner(claim)));
        if (hasQueue()) {
            wanted.add(claim.mode() == Claim.Mode.WAIT ? entryLifetime : 0);
        }
        Object[] values = wanted.toArray();
        return session.singleStatement(same -> {
            LeaseRow row = dialect.acquireReturnsRow()
                    ? rowOfResult(prepare(same, statement, values), claim)
                    : rowOfKey(bind(same.prepareWithKey(text(statement, 0)), values), claim);
            row = row == null ? row(same, LOCK_ROW, claim.name()) : row;
            if (row == null) {
                throw new SQLException("The row of '" + claim.name() + "' was swept meanwhile.", "40001");
            }
            return row;
        });
    }

    private static @Nullable LeaseRow rowOfResult(PreparedStatement statement, Claim claim) throws SQLException {
        try (ResultSet rows = Dialect.rows(statement)) {
            LeaseRow row = rows.next() ? new LeaseRow(rows) : null;
            // Reads to the end: SQLite returns the row first and commits then, and reports a failed commit by the next
            // step.
            if (row != null && rows.next()) {
                throw new SQLException("The table has two rows for '" + claim.name()
                        + "'. Its primary key is missing: create it again by the script.");
            }
            return row;
        }
    }

    /** See {@link MySqlDialect#answering}. Null if the name is not free. */
    private static @Nullable LeaseRow rowOfKey(PreparedStatement statement, Claim claim) throws SQLException {
        statement.executeUpdate();
        try (ResultSet keys = statement.getGeneratedKeys()) {
            long number = keys.next() ? keys.getLong(1) : 0;
            if (number == 0) {
                return null;
            }
            long tokens = number % 128 == 0 ? Claims.tokens(claim) : number % 128;
            return new LeaseRow(claim, number / 128, number / 128 + tokens - 1);
        }
    }

    /** How many rows it has changed. */
    int update(Session session, String statement, @Nullable Object... values) throws SQLException {
        return prepare(session, statement, values).executeUpdate();
    }

    /** Executes a single statement. Whether it matched a row, if it can match one only. */
    boolean changesOne(Session session, String statement, @Nullable Object... values) throws SQLException {
        return session.singleStatement(same -> {
            PreparedStatement update = prepare(same, statement, values);
            if (update.execute()) {
                try (ResultSet rows = update.getResultSet()) {
                    return rows.next();
                }
            }
            return update.getUpdateCount() == 1;
        });
    }

    @Nullable
    LeaseRow row(Session session, String statement, String name) throws SQLException {
        try (ResultSet rows = prepare(session, statement, new Name(name)).executeQuery()) {
            return rows.next() ? new LeaseRow(rows) : null;
        }
    }

    /** Rows by name, of a statement that also returns the name. */
    Map<String, LeaseRow> rows(Session session, String statement, Object... values) throws SQLException {
        Map<String, LeaseRow> found = new LinkedHashMap<>();
        try (ResultSet rows = prepare(session, statement, values).executeQuery()) {
            while (rows.next()) {
                found.put(dialect.name(rows, LeaseRow.NAME), new LeaseRow(rows));
            }
        }
        return found;
    }

    /** The only name that a statement reads; null if there is none. */
    @Nullable
    String name(Session session, String statement, Object... values) throws SQLException {
        try (ResultSet rows = prepare(session, statement, values).executeQuery()) {
            return rows.next() ? dialect.name(rows, 1) : null;
        }
    }

    /** The holders of parts of these names; at most {@link SqlLists#MAX_SIZE} names, and at least one. */
    Map<String, List<LeaseHolder>> sharedHolders(Session session, List<Name> names) throws SQLException {
        Map<String, List<LeaseHolder>> sharedHolders = new HashMap<>();
        try (ResultSet rows = prepare(session, READ_HOLDERS, names).executeQuery()) {
            while (rows.next()) {
                sharedHolders
                        .computeIfAbsent(dialect.name(rows, LeaseHolder.NAME), name -> new ArrayList<>())
                        .add(LeaseHolder.of(rows));
            }
        }
        return sharedHolders;
    }

    /** The holders of those names that are held, at most {@link SqlLists#MAX_SIZE}. If some are shared, one statement reads their holders. */
    Map<String, List<LeaseHolder>> holders(Session session, Map<String, LeaseRow> rows) throws SQLException {
        Map<String, List<LeaseHolder>> holders = new HashMap<>();
        List<Name> shared = new ArrayList<>();
        rows.forEach((name, row) -> {
            if (row.isHeldByOne()) {
                holders.put(name, List.of(LeaseHolder.ofWholeName(row)));
            } else if (row.isInUse()) {
                shared.add(new Name(name));
            }
        });
        if (!shared.isEmpty()) {
            sharedHolders(session, shared).forEach((name, sharedHolders) -> {
                LeaseRow row = Objects.requireNonNull(rows.get(name));
                holders.put(
                        name,
                        sharedHolders.stream()
                                .filter(share -> share.endsAt() > row.now)
                                .toList());
            });
        }
        return holders;
    }

    private PreparedStatement bind(PreparedStatement statement, @Nullable Object... values) throws SQLException {
        int index = 1;
        for (Object value : values) {
            if (value instanceof List<?> list) {
                // The last element fills it.
                for (int i = 0; i < SqlLists.sizeFor(list); i++) {
                    bind(statement, index++, list.get(Math.min(i, list.size() - 1)));
                }
            } else {
                bind(statement, index++, value);
            }
        }
        return statement;
    }

    private void bind(PreparedStatement statement, int index, @Nullable Object value) throws SQLException {
        if (value instanceof Name name) {
            dialect.setName(statement, index, name.text);
        } else if (value instanceof Number number) {
            statement.setLong(index, number.longValue());
        } else {
            statement.setString(index, value == null ? null : value.toString());
        }
    }

    private String text(String statement, int size) {
        return texts.computeIfAbsent(
                size == 0 ? statement : statement + size,
                key -> statement
                        .replace("{columns}", dialect.columns())
                        .replace("{now}", dialect.now())
                        .replace("{lock}", dialect.forUpdate())
                        .replace("{no wait}", dialect.noWait())
                        .replace("{skip locked}", dialect.skipLocked())
                        .replace("{queue}", hasQueue() ? ", queue = ?" : "")
                        .replace("{list}", SqlLists.placeholders(size))
                        .replace("'" + DEFAULT_TABLE + "'", "'" + channel + "'")
                        .replace(DEFAULT_TABLE, table));
    }

    /** Removes rows that have not been used for the retention time, and never one that is held or reserved. */
    public RowSweeper.Sql sweep(Duration retention) {
        String now = dialect.now();
        String longAgo = now + " - " + Micros.of(retention);
        String isOld = "ends_at <= " + now + " AND granted_at < " + longAgo + " AND (next_until <= " + now
                + " OR next_until > " + now + " + " + Dialect.MAX_RESERVATION_MICROS + ")";
        String names = " WHERE name IN " + SqlLists.placeholders(SqlLists.MAX_SIZE);
        return new RowSweeper.Sql(
                RowSweeper.Sql.page(table, isOld),
                RowSweeper.Sql.lock(dialect, table),
                List.of(
                        "DELETE FROM " + table + "_share" + names + " AND ends_at <= " + now,
                        "DELETE FROM " + table + names + " AND " + isOld),
                retention);
    }

    /** The channel of notifications. */
    String channel() {
        return channel;
    }
}
