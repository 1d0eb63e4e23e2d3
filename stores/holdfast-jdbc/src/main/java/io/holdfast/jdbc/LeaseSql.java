package io.holdfast.jdbc;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements on one table of leases. Each is atomic by itself; those for shares are used in a transaction that has locked
 * the row of the name before.
 */
final class LeaseSql {

    private static final String DEFAULT_TABLE = "holdfast_lease";

    private final Dialect dialect;
    private final String table;
    private final String channel;

    /** See {@link Dialect#take()}. */
    final String take;

    /** See {@link Dialect#release()}. */
    final String release;

    /** Parameter: name. */
    final String look;

    /** Locks the row until the transaction ends. Parameter: name. */
    final String lock;

    /** See {@link Dialect#ensureRow()}. */
    final String ensureRow;

    /** See {@link Dialect#tell()}. */
    final @Nullable String tell;

    /** Lengthens a lease that runs, and never shortens it. Parameters: lease, lease, name, claim. */
    final String renew;

    /** Shortens a lease that runs, and never lengthens it. Parameters: lease, lease, name, claim. */
    final String shorten;

    /** Takes the name away from whoever has that token. Parameters: name, token, token. */
    final String revoke;

    /** Lets a claim that has waited for long be the next. Parameters: claim, time, name, claim. */
    final String reserve;

    /** Parameters: name, claim. */
    final String unreserve;

    /** Leaves word that somebody waits. Parameters: for how long, name. */
    final String await;

    /** Parameters: capacity, claim, first token, last token, granted at, ends at, next claim, ended, name. */
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

    /** Names in use that begin with a text. Parameters: text, text, limit. */
    final String inspectMany;

    /** @param identity which table it is, however it was written */
    LeaseSql(Dialect dialect, String table, String identity) {
        this.dialect = dialect;
        this.table = table;
        // A channel has at most 63 characters.
        this.channel = "holdfast_" + Long.toHexString(SessionDialect.hash("lease", identity));
        String now = dialect.now();
        take = named(dialect.take());
        release = named(dialect.release());
        look = named("SELECT " + dialect.columns() + " FROM holdfast_lease WHERE name = ?");
        lock = look + dialect.forUpdate();
        ensureRow = named(dialect.ensureRow());
        tell = dialect.tell() == null ? null : named(dialect.tell());
        renew = named("UPDATE holdfast_lease SET ends_at = CASE WHEN ends_at < " + now + " + ? THEN " + now
                + " + ? ELSE ends_at END WHERE name = ? AND claim = ? AND ends_at > " + now);
        shorten = named("UPDATE holdfast_lease SET ends_at = CASE WHEN ends_at > " + now + " + ? THEN " + now
                + " + ? ELSE ends_at END WHERE name = ? AND claim = ? AND ends_at > " + now);
        revoke = named("UPDATE holdfast_lease SET claim = NULL, ends_at = 0 WHERE name = ? AND claim IS NOT NULL"
                + " AND first_token <= ? AND last_token >= ? AND ends_at > " + now);
        reserve = named("UPDATE holdfast_lease SET next_claim = ?, next_until = " + now + " + ? WHERE name = ?"
                + " AND (next_claim IS NULL OR next_claim = ? OR next_until <= " + now + ")");
        unreserve = named("UPDATE holdfast_lease SET next_claim = NULL WHERE name = ? AND next_claim = ?");
        await = named("UPDATE holdfast_lease SET awaited_until = " + now + " + ? WHERE name = ?");
        change = named("UPDATE holdfast_lease SET capacity = ?, claim = ?, first_token = ?, last_token = ?,"
                + " granted_at = ?, ends_at = ?, next_claim = ?, ended = ? WHERE name = ?");
        shares = named("SELECT claim, units, first_token, last_token, granted_at, ends_at, owner"
                + " FROM holdfast_lease_share WHERE name = ?");
        addShare = named("INSERT INTO holdfast_lease_share"
                + " (name, claim, units, first_token, last_token, granted_at, ends_at, owner)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        changeShare = named("UPDATE holdfast_lease_share SET units = ?, ends_at = ? WHERE name = ? AND claim = ?");
        dropShare = named("DELETE FROM holdfast_lease_share WHERE name = ? AND claim = ?");
        inspectOne =
                named("SELECT " + dialect.columns() + ", name FROM holdfast_lease WHERE name = ? AND ends_at > " + now);
        inspectMany = named("SELECT " + dialect.columns() + ", name FROM holdfast_lease"
                + " WHERE SUBSTR(name, 1, LENGTH(?)) = ? AND ends_at > " + now + " ORDER BY name LIMIT ?");
    }

    /** Removes some rows that nobody has used for so long, and never one that is in use. */
    List<String> sweep(Duration retention) {
        String now = dialect.now();
        String longAgo = now + " - " + LeaseTable.micros(retention);
        return List.of(
                dialect.deleteSome(table + "_share", "ends_at < " + longAgo, Sweeping.AT_ONCE),
                dialect.deleteSome(
                        table,
                        "ends_at <= " + now + " AND next_until <= " + now + " AND granted_at < " + longAgo,
                        Sweeping.AT_ONCE));
    }

    /** The channel on which names are told that become free. */
    String channel() {
        return channel;
    }

    private String named(String statement) {
        return statement.replace("'" + DEFAULT_TABLE + "'", "'" + channel + "'").replace(DEFAULT_TABLE, table);
    }
}
