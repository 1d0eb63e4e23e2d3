package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.WaitQueue;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The row of a name. A transaction that has locked it changes it in memory first: see {@link LockedRow}. */
public final class LeaseRow {

    /** How late after the end of its priority a claim may send its request; longer than the interval of its polls. */
    private static final long RESPONSE_MICROS = 1_700_000;

    /** The column of the name, in statements that also return it. */
    static final int NAME = 13;

    /** The claim that holds the whole name; null if the name is free or shared. */
    @Nullable
    String claim;

    int capacity;
    long firstToken;

    /** The last token of the last block that was granted. */
    long lastToken;

    long grantedAt;

    /** When the last of the leases expires. */
    long endsAt;

    @Nullable
    String owner;

    /** The claim that has priority until {@code nextUntil}. */
    @Nullable
    String nextClaim;

    long nextUntil;

    /** Claims that were released, and of which a stale request may still be executed. */
    @Nullable
    String tombstones;

    /** Empty on databases that have no wait queue. */
    final WaitQueue queue;

    /** When the row was read, on the clock of the database. */
    final long now;

    LeaseRow(ResultSet row) throws SQLException {
        claim = row.getString(1);
        capacity = row.getInt(2);
        firstToken = row.getLong(3);
        lastToken = row.getLong(4);
        grantedAt = row.getLong(5);
        endsAt = row.getLong(6);
        owner = row.getString(7);
        nextClaim = row.getString(8);
        nextUntil = row.getLong(9);
        tombstones = row.getString(10);
        now = row.getLong(12);
        queue = new WaitQueue(row.getString(11), now);
    }

    /** The row of a claim that was granted just now. */
    LeaseRow(Claim granted, long firstToken, long lastToken) {
        claim = granted.id().toString();
        capacity = granted.capacity();
        this.firstToken = firstToken;
        this.lastToken = lastToken;
        endsAt = Micros.of(granted.lease());
        now = 0;
        queue = new WaitQueue(null, now);
    }

    boolean isInUse() {
        return endsAt > now;
    }

    /** Whether the claim holds the whole name. */
    boolean isHeldBy(ClaimId id) {
        return isInUse() && id.toString().equals(claim);
    }

    boolean isHeldByOne() {
        return isInUse() && claim != null;
    }

    /** Whether a claim has priority, if the name is free. */
    boolean isReserved() {
        return nextClaim != null && nextUntil > now && nextUntil <= now + Dialect.MAX_RESERVATION_MICROS;
    }

    boolean isReservedForAnother(ClaimId id) {
        return isReserved() && !id.toString().equals(nextClaim);
    }

    boolean hasTombstone(ClaimId id) {
        return tombstones != null && tombstones.contains(id + "@");
    }

    /** Whether the first claim in the wait queue was notified that it can be served. */
    boolean isFirstNotified() {
        return nextClaim != null && nextClaim.equals(queue.first());
    }

    /** Whether the first claim in the wait queue was notified long ago and has sent no request: its process may have died. */
    boolean isFirstUnresponsive() {
        return isFirstNotified() && now - nextUntil > RESPONSE_MICROS;
    }

    /** Whether a request for a part of the name would be granted or refused for good, or would serve the first claim in the wait queue. */
    boolean mayBeServed(Claim wanted, Collection<LeaseHolder> holders) {
        int units = holders.stream().mapToInt(LeaseHolder::units).sum();
        if (hasTombstone(wanted.id()) || (units > 0 && capacity != wanted.capacity())) {
            return true;
        }
        if (isHeldByOne() || isReservedForAnother(wanted.id())) {
            return false;
        }
        if (queue.hasOtherFirst(wanted.id())) {
            return isFirstNotified() ? isFirstUnresponsive() : queue.isRoomForFirst(units, capacity);
        }
        return units + wanted.units() <= wanted.capacity();
    }

    /** Whether the claim for the whole name would be granted now. */
    boolean isFreeFor(Claim wanted) {
        return !isInUse() && !isReservedForAnother(wanted.id()) && !hasTombstone(wanted.id());
    }

    /** When the last lease expires, in microseconds from now. */
    long remainingMicros() {
        return endsAt - now;
    }
}
