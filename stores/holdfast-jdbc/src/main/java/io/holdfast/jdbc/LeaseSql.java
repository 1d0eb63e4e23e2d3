package io.holdfast.jdbc;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The statements on one table of leases. Each is atomic by itself; those for shares are used in a transaction that has locked
 * the row of the name before.
 */
final class LeaseSql {

    private static final String DEFAULT_TABLE = "holdfast_lease";

    private final String table;

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

    /** Takes the name away from whoever has that token. Parameters: name, token, token. */
    final String revoke;

    /** Lets a claim that has waited for long be the next. Parameters: claim, time, name, claim. */
    final String reserve;

    /** Parameters: name, claim. */
    final String unreserve;

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

    /** Rows that nobody has used for a while. Parameter: how long. */
    final String sweep;

    /** Shares that ended a while ago. Parameter: how long. */
    final String sweepShares;

    LeaseSql(Dialect dialect, String table) {
        this.table = table;
        String now = dialect.now();
        take = named(dialect.take());
        release = named(dialect.release());
        look = named("SELECT " + dialect.columns() + " FROM holdfast_lease WHERE name = ?");
        lock = look + dialect.forUpdate();
        ensureRow = named(dialect.ensureRow());
        tell = dialect.tell() == null ? null : named(dialect.tell());
        renew = named("UPDATE holdfast_lease SET ends_at = CASE WHEN ends_at < " + now + " + ? THEN " + now
                + " + ? ELSE ends_at END WHERE name = ? AND claim = ? AND ends_at > " + now);
        revoke = named("UPDATE holdfast_lease SET claim = NULL, ends_at = 0 WHERE name = ? AND claim IS NOT NULL"
                + " AND first_token <= ? AND last_token >= ? AND ends_at > " + now);
        reserve = named("UPDATE holdfast_lease SET next_claim = ?, next_until = " + now + " + ? WHERE name = ?"
                + " AND (next_claim IS NULL OR next_claim = ? OR next_until <= " + now + ")");
        unreserve = named("UPDATE holdfast_lease SET next_claim = NULL WHERE name = ? AND next_claim = ?");
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
        sweep = named("DELETE FROM holdfast_lease WHERE ends_at <= " + now + " AND next_until <= " + now
                + " AND granted_at < " + now + " - ?");
        sweepShares = named("DELETE FROM holdfast_lease_share WHERE ends_at < " + now + " - ?");
    }

    String table() {
        return table;
    }

    /** The channel on which names are told that become free; databases differ in whether case counts. */
    static String channel(String table) {
        return table.toLowerCase(Locale.ROOT);
    }

    private String named(String statement) {
        return statement
                .replace("'" + DEFAULT_TABLE + "'", "'" + channel(table) + "'")
                .replace(DEFAULT_TABLE, table);
    }
}
