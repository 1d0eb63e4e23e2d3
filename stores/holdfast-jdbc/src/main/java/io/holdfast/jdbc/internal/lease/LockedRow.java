package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.OwnerText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A name in a transaction: its row, which is locked, and the claims that share it. {@link #write()} writes the row. */
final class LockedRow {

    /** For how long a claim that was released is remembered; longer than a request of it can be under way. */
    private static final long TOMBSTONE_MICROS = 10 * 60 * 1_000_000L;

    final LeaseRow row;
    private final Session session;
    private final LeaseSql sql;
    private final LeaseSql.Name name;
    private final Map<String, LeaseHolder> sharing = new LinkedHashMap<>();

    /** Removes shares that have expired. If one claim holds the whole name, no other shares it, whatever the table says. */
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

    /** Locks the row, which is made if there is none. */
    static LockedRow lock(Session session, LeaseSql sql, String name) throws SQLException {
        LockedRow locked = find(session, sql, name, LeaseSql.LOCK_ROW);
        if (locked == null) {
            sql.update(session, sql.ensureRow, new LeaseSql.Name(name));
            locked = find(session, sql, name, LeaseSql.LOCK_ROW);
        }
        if (locked == null) {
            throw new SQLException("The row of '" + name + "' was removed while it was being made.", "40001");
        }
        return locked;
    }

    /** The claim that holds the whole name, or those that share it. */
    Collection<LeaseHolder> holders() {
        return row.isHeldByOne() ? List.of(LeaseHolder.ofWholeName(row)) : sharing.values();
    }

    /** What the claim holds; null if nothing. */
    @Nullable
    LeaseHolder held(ClaimId id) {
        return row.isHeldBy(id) ? LeaseHolder.ofWholeName(row) : sharing.get(id.toString());
    }

    int unitsInUse() {
        return holders().stream().mapToInt(LeaseHolder::units).sum();
    }

    /** How long until the first of the claims that share it is due to end, in microseconds. */
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
                OwnerText.of(wanted.owner()));
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

    /** A holder has fewer units from now on, or another end. */
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

    /** A holder releases what it has. */
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

    /** The claim does not wait any more. */
    void withdraw(ClaimId id) {
        if (id.toString().equals(row.nextClaim)) {
            row.nextClaim = null;
        }
        row.queue.remove(id);
    }

    /** Leaves a tombstone: requests of this claim that come later are refused. */
    void addTombstone(ClaimId id) {
        StringBuilder kept = new StringBuilder();
        for (String entry : row.tombstones == null ? new String[0] : row.tombstones.split(";", -1)) {
            int at = entry.indexOf('@');
            if (at > 0 && Long.parseLong(entry, at + 1, entry.length(), 10) > row.now - TOMBSTONE_MICROS) {
                kept.append(entry).append(';');
            }
        }
        row.tombstones = kept.append(id).append('@').append(row.now).append(';').toString();
        // The row must not be swept while it remembers.
        row.grantedAt = row.now;
    }

    /** What this transaction changes need not be durable: only who is served next. */
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

    /** The first in the queue loses its place if it did not come. */
    void skipUnresponsiveFirst() {
        if (row.isFirstUnresponsive()) {
            withdraw(ClaimId.parse(String.valueOf(row.nextClaim)));
        }
    }

    /** Writes the row. If the first in the queue can be served now, it is notified and has priority for a moment. */
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
