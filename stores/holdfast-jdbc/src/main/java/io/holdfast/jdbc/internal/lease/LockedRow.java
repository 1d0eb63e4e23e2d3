package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.support.OwnerFormat;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The locked row of a name within a transaction, and the claims that hold parts of the name. {@link #write()} writes the row. */
final class LockedRow {

    /** How long a tombstone is kept; longer than a request can be under way. */
    private static final long TOMBSTONE_MICROS = 10 * 60 * 1_000_000L;

    final LeaseRow row;
    private final Session session;
    private final LeaseSql sql;
    private final LeaseSql.Name name;
    private final Map<String, LeaseHolder> sharing = new LinkedHashMap<>();

    /** Removes holders whose leases have expired. If one claim holds the whole name, no other one holds a part, whatever the table says. */
    private LockedRow(Session session, LeaseSql sql, String name, LeaseRow row) throws SQLException {
        this.session = session;
        this.sql = sql;
        this.name = new LeaseSql.Name(name);
        this.row = row;
        for (LeaseHolder holder : sql.sharedHolders(session, List.of(this.name)).getOrDefault(name, List.of())) {
            if (row.isInUse() && row.claim == null && holder.endsAt() > row.now) {
                sharing.put(holder.claim(), holder);
            } else {
                delete(holder.claim());
            }
        }
    }

    /**
     * Locks the row; null if there is none.
     *
     * @param lock {@link LeaseSql#LOCK_ROW}, or {@link LeaseSql#LOCK_ROW_NOWAIT} to fail if another session has locked it
     */
    static @Nullable LockedRow find(Session session, LeaseSql sql, String name, String lock) throws SQLException {
        LeaseRow row = sql.row(session, lock, name);
        return row == null ? null : new LockedRow(session, sql, name, row);
    }

    /** Locks the row, which is inserted if it is missing. */
    static LockedRow lock(Session session, LeaseSql sql, String name) throws SQLException {
        LockedRow locked = find(session, sql, name, LeaseSql.LOCK_ROW);
        if (locked == null) {
            sql.update(session, sql.ensureRow, new LeaseSql.Name(name));
            locked = find(session, sql, name, LeaseSql.LOCK_ROW);
        }
        if (locked == null) {
            throw new SQLException("The row of '" + name + "' was swept while it was being inserted.", "40001");
        }
        return locked;
    }

    /** The claim that holds the whole name, or those that hold parts of it. */
    Collection<LeaseHolder> holders() {
        return row.isHeldByOne() ? List.of(LeaseHolder.ofWholeName(row)) : sharing.values();
    }

    /** The claim as a holder; null if it holds nothing. */
    @Nullable
    LeaseHolder held(ClaimId id) {
        return row.isHeldBy(id) ? LeaseHolder.ofWholeName(row) : sharing.get(id.toString());
    }

    int unitsInUse() {
        return holders().stream().mapToInt(LeaseHolder::units).sum();
    }

    /** When the first lease of a part expires, in microseconds from now. */
    long untilFirstExpiry() {
        return sharing.values().stream().mapToLong(LeaseHolder::endsAt).min().orElse(row.endsAt) - row.now;
    }

    /** Grants the whole name, with the next tokens. */
    void grantAll(Claim wanted) {
        nextTokens(wanted);
        row.claim = wanted.id().toString();
        row.endsAt = row.now + Micros.of(wanted.lease());
        row.owner = WaitQueue.owner(wanted);
    }

    /** Grants a part of it, with the next tokens. */
    LeaseHolder grantUnits(Claim wanted) throws SQLException {
        nextTokens(wanted);
        row.claim = null;
        LeaseHolder holder = new LeaseHolder(
                wanted.id().toString(),
                wanted.units(),
                row.firstToken,
                row.lastToken,
                row.now,
                row.now + Micros.of(wanted.lease()),
                OwnerFormat.of(wanted.owner()));
        insert(holder);
        return holder;
    }

    private void nextTokens(Claim wanted) {
        boolean ahead = row.lastToken >= row.now;
        row.firstToken = ahead ? row.lastToken + 1 : row.now;
        row.lastToken = ahead ? row.firstToken : row.firstToken + Claims.tokens(wanted) - 1;
        row.capacity = wanted.capacity();
        row.grantedAt = row.now;
        withdraw(wanted.id());
    }

    private void insert(LeaseHolder holder) throws SQLException {
        sql.update(
                session,
                LeaseSql.INSERT_HOLDER,
                name,
                holder.claim(),
                holder.units(),
                holder.firstToken(),
                holder.lastToken(),
                holder.grantedAt(),
                holder.endsAt(),
                holder.owner());
        sharing.put(holder.claim(), holder);
    }

    /** A holder keeps fewer units from now on, or its lease expires at another time. */
    void change(LeaseHolder holder) throws SQLException {
        if (!holder.claim().equals(row.claim)) {
            sql.update(session, LeaseSql.UPDATE_HOLDER, holder.units(), holder.endsAt(), name, holder.claim());
            sharing.put(holder.claim(), holder);
        } else if (holder.units() == row.capacity) {
            row.endsAt = holder.endsAt();
        } else {
            insert(holder);
            row.claim = null;
        }
    }

    /** A holder releases what it holds. */
    void release(LeaseHolder holder) throws SQLException {
        if (holder.claim().equals(row.claim)) {
            row.claim = null;
            row.endsAt = 0;
        } else {
            delete(holder.claim());
        }
    }

    private void delete(String claim) throws SQLException {
        sql.update(session, LeaseSql.DELETE_HOLDER, name, claim);
        sharing.remove(claim);
    }

    /** Removes the claim from the wait queue, and its priority. */
    void withdraw(ClaimId id) {
        if (id.toString().equals(row.nextClaim)) {
            row.nextClaim = null;
        }
        row.queue.remove(id);
    }

    /** Leaves a tombstone: stale requests of this claim are refused. */
    void addTombstone(ClaimId id) {
        StringBuilder kept = new StringBuilder();
        for (String entry : row.tombstones == null ? new String[0] : row.tombstones.split(";", -1)) {
            int at = entry.indexOf('@');
            if (at > 0 && Long.parseLong(entry, at + 1, entry.length(), 10) > row.now - TOMBSTONE_MICROS) {
                kept.append(entry).append(';');
            }
        }
        row.tombstones = kept.append(id).append('@').append(row.now).append(';').toString();
        // The row must not be swept while it has tombstones.
        row.grantedAt = row.now;
    }

    /** The changes of this transaction need not be durable: they affect only which claim is served next. */
    void relaxDurability() throws SQLException {
        if (sql.relaxedDurability != null) {
            Dialect.execute(session.connection(), sql.relaxedDurability);
        }
    }

    /** Writes the row. */
    void write() throws SQLException {
        if (row.claim == null) {
            row.endsAt = sharing.values().stream()
                    .mapToLong(LeaseHolder::endsAt)
                    .max()
                    .orElse(0);
        }
        List<@Nullable Object> values = new ArrayList<>(Arrays.asList(
                row.capacity,
                row.claim,
                row.firstToken,
                row.lastToken,
                row.grantedAt,
                row.endsAt,
                row.owner,
                row.nextClaim,
                row.nextUntil,
                row.tombstones));
        if (sql.hasQueue()) {
            values.add(row.queue);
        }
        values.add(name);
        sql.update(session, LeaseSql.UPDATE_ROW, values.toArray());
    }

    boolean isRoomForFirst() {
        return row.queue.isRoomForFirst(unitsInUse(), row.capacity);
    }

    /** Removes the first claim from the wait queue if it was notified and has sent no request. */
    void skipUnresponsiveFirst() {
        if (row.isFirstUnresponsive()) {
            withdraw(ClaimId.parse(String.valueOf(row.nextClaim)));
        }
    }

    /** Writes the row. If the first claim in the wait queue can be served now, it is notified and has priority for a moment. */
    void writeAndNotify() throws SQLException {
        String first = row.queue.first();
        if (sql.notifyWaiter == null || first == null || !isRoomForFirst()) {
            write();
            return;
        }
        row.nextClaim = first;
        row.nextUntil = row.now + Dialect.RESERVATION_MICROS;
        write();
        sql.prepare(session, sql.notifyWaiter, NotificationMessage.turn(first, name.text()))
                .execute();
    }
}
