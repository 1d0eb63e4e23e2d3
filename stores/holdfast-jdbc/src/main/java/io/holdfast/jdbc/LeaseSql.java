package io.holdfast.jdbc;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The statements on one table of leases. Each is atomic by itself; those for shares are used in a transaction that has locked
 * the row of the name before.
 */
final class LeaseSql {

    static final int LONGEST_LIST = 100;

    private static final String DEFAULT_TABLE = "holdfast_lease";

    private final Dialect dialect;
    private final String table;
    private final String channel;
    private final Map<String, String> lists = new ConcurrentHashMap<>();

    /** See {@link Dialect#take()}. */
    final @Nullable String take;

    /** See {@link Dialect#release()}. */
    final String release;

    /** See {@link Dialect#handOver()}. */
    final @Nullable String handOver;

    /** Parameter: name. */
    final String look;

    /** Locks the row until the transaction ends. Parameter: name. */
    final String lock;

    /** The same, and fails at once if the row is locked. */
    final String lockAtOnce;

    /** See {@link Dialect#ensureRow()}. */
    final String ensureRow;

    /** See {@link Dialect#tell()}. */
    final @Nullable String tell;

    /** Shortens a lease that runs, and never lengthens it. Parameters: lease, lease, name, claim. */
    final String shorten;

    /** Lets a claim that has waited for long be the next. Parameters: claim, time, name, claim. */
    final String reserve;

    /** Parameters: name, claim. */
    final String unreserve;

    /**
     * Parameters: capacity, claim, first token, last token, granted at, ends at, owner, next claim, next until, ended, perhaps the queue,
     * name.
     */
    final String change;

    /** Parameter: name. */
    final String shares;

    /** Parameters: name, claim, units, first token, last token, granted at, ends at, owner. */
    final String addShare;

    /** Parameters: units, ends at, name, claim. */
    final String changeShare;

    /** Parameters: name, claim. */
    final String dropShare;

    /** Names in use. Parameter: name. */
    final String inspectOne;

    /** Names in use, from one to another. Parameters: the first, the first that is not meant, limit. */
    final String inspectRange;

    /** Names in use, from one on. Parameters: the first, limit. */
    final String inspectFrom;

    /** @param identity which table it is, however it was written */
    LeaseSql(Dialect dialect, String table, String identity) {
        this.dialect = dialect;
        this.table = table;
        // A channel has at most 63 characters.
        this.channel = "holdfast_" + Long.toHexString(SessionDialect.hash("lease", identity));
        String now = dialect.now();
        take = dialect.take() == null ? null : named(dialect.take());
        release = named(dialect.release());
        handOver = dialect.handOver() == null ? null : named(dialect.handOver());
        look = named("SELECT " + dialect.columns() + " FROM holdfast_lease WHERE name = ?");
        lock = look + dialect.forUpdate();
        lockAtOnce = lock + dialect.noWait();
        ensureRow = named(dialect.ensureRow());
        tell = dialect.tell() == null ? null : named(dialect.tell());
        shorten = named("UPDATE holdfast_lease SET ends_at = CASE WHEN ends_at > " + now + " + ? THEN " + now
                + " + ? ELSE ends_at END WHERE name = ? AND claim = ? AND ends_at > " + now);
        reserve = named("UPDATE holdfast_lease SET next_claim = ?, next_until = " + now + " + ? WHERE name = ?"
                + " AND " + Dialect.isNotReserved("next_claim", "next_until", "?", now));
        unreserve = named("UPDATE holdfast_lease SET next_claim = NULL WHERE name = ? AND next_claim = ?");
        change = named("UPDATE holdfast_lease SET capacity = ?, claim = ?, first_token = ?, last_token = ?,"
                + " granted_at = ?, ends_at = ?, owner = ?, next_claim = ?, next_until = ?, ended = ?"
                + dialect.writeQueue()
                + " WHERE name = ?");
        shares = named("SELECT claim, units, first_token, last_token, granted_at, ends_at, owner"
                + " FROM holdfast_lease_share WHERE name = ?");
        addShare = named("INSERT INTO holdfast_lease_share"
                + " (name, claim, units, first_token, last_token, granted_at, ends_at, owner)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        changeShare = named("UPDATE holdfast_lease_share SET units = ?, ends_at = ? WHERE name = ? AND claim = ?");
        dropShare = named("DELETE FROM holdfast_lease_share WHERE name = ? AND claim = ?");
        inspectOne =
                named("SELECT " + dialect.columns() + ", name FROM holdfast_lease WHERE name = ? AND ends_at > " + now);
        String many = "SELECT " + dialect.columns() + ", name FROM holdfast_lease WHERE name >= ?%s AND ends_at > "
                + now + " ORDER BY name LIMIT ?";
        inspectRange = named(many.formatted(" AND name < ?"));
        inspectFrom = named(many.formatted(""));
    }

    /**
     * Lengthens leases that run, and never shortens one. Parameters: lease, lease, names, claims. An id belongs to one claim, and a
     * claim to one name, so the two lists need not be pairs.
     *
     * @param size of each list: see {@link #listSize}
     */
    String renew(int size) {
        return lists.computeIfAbsent(
                "renew" + size,
                key -> named("UPDATE holdfast_lease SET ends_at = CASE WHEN ends_at < " + dialect.now() + " + ? THEN "
                        + dialect.now() + " + ? ELSE ends_at END WHERE name IN " + list(size) + " AND claim IN "
                        + list(size) + " AND ends_at > " + dialect.now()));
    }

    /** Locks those rows that nobody else has locked, and reads them with their names. Parameters: names. */
    String lockUnlocked(int size) {
        return lists.computeIfAbsent(
                "lock" + size,
                key -> named("SELECT " + dialect.columns() + ", name FROM holdfast_lease WHERE name IN " + list(size)
                        + dialect.forUpdate() + dialect.skipLocked()));
    }

    /** Reads rows with their names. Parameters: names. */
    String lookAt(int size) {
        return lists.computeIfAbsent(
                "look" + size,
                key -> named("SELECT " + dialect.columns() + ", name FROM holdfast_lease WHERE name IN " + list(size)));
    }

    /** See {@link Dialect#refreshQueue}. */
    String refreshQueue(int size) {
        return lists.computeIfAbsent("queue" + size, key -> named(dialect.refreshQueue(list(size))));
    }

    /** Few sizes, so that few statements are prepared. */
    static int listSize(int needed) {
        return needed == 1 ? 1 : needed <= 10 ? 10 : LONGEST_LIST;
    }

    static String list(int size) {
        return "(" + String.join(", ", Collections.nCopies(size, "?")) + ")";
    }

    /** Removes rows that nobody has used for so long, and never one that is in use. */
    Sweeping.Sql sweep(Duration retention) {
        String now = dialect.now();
        String longAgo = now + " - " + LeaseTable.micros(retention);
        String isOld = "ends_at <= " + now + " AND granted_at < " + longAgo + " AND (next_until <= " + now
                + " OR next_until > " + now + " + " + Dialect.LONGEST_RESERVATION + ")";
        String names = " WHERE name IN " + list(LONGEST_LIST);
        return new Sweeping.Sql(
                page(table, isOld),
                List.of(
                        "DELETE FROM " + table + "_share" + names + " AND ends_at < " + longAgo,
                        "DELETE FROM " + table + names + " AND " + isOld),
                retention);
    }

    /** Reads some names, and whether each is old. Parameter: the name after which to begin. */
    static String page(String table, String isOld) {
        return "SELECT name, CASE WHEN " + isOld + " THEN 1 ELSE 0 END FROM " + table
                + " WHERE name > ? ORDER BY name LIMIT " + Sweeping.PAGE;
    }

    /** The channel on which names are told that become free. */
    String channel() {
        return channel;
    }

    private String named(String statement) {
        return statement.replace("'" + DEFAULT_TABLE + "'", "'" + channel + "'").replace(DEFAULT_TABLE, table);
    }
}
