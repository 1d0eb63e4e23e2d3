package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The row of a name.
 *
 * @param claim who has all of it; null if nobody has, or several share it
 * @param lastToken the end of the last block that was given out
 * @param endsAt when the last of the present leases ends
 * @param nextClaim who is to be served next, until {@code nextUntil}
 * @param ended claims that were released before a request of theirs that may still come
 * @param queue the text of the {@link WaitQueue}; null on databases that have none
 * @param now when the row was read, on the clock of the database
 */
record LeaseRow(
        @Nullable String claim,
        int capacity,
        long firstToken,
        long lastToken,
        long grantedAt,
        long endsAt,
        @Nullable String owner,
        @Nullable String nextClaim,
        long nextUntil,
        @Nullable String ended,
        @Nullable String queue,
        long now) {

    /** Where the name stands, in statements that answer with it too. */
    static final int NAME = 13;

    static LeaseRow of(ResultSet row) throws SQLException {
        return new LeaseRow(
                row.getString(1),
                row.getInt(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6),
                row.getString(7),
                row.getString(8),
                row.getLong(9),
                row.getString(10),
                row.getString(11),
                row.getLong(12));
    }

    /** The row of a claim that was granted just now. */
    static LeaseRow granted(Claim claim, long firstToken, long lastToken) {
        return new LeaseRow(
                claim.id().toString(),
                claim.capacity(),
                firstToken,
                lastToken,
                0,
                LeaseTable.micros(claim.lease()),
                null,
                null,
                0,
                null,
                null,
                0);
    }

    boolean isInUse() {
        return endsAt > now;
    }

    /** Does the claim have all of it? */
    boolean isHeldBy(ClaimId id) {
        return isInUse() && id.toString().equals(claim);
    }

    boolean isHeldByOne() {
        return isInUse() && claim != null;
    }

    boolean isShared() {
        return isInUse() && claim == null;
    }

    boolean isReservedFor(ClaimId id) {
        return id.toString().equals(nextClaim);
    }

    /** Whether a claim has priority, if the name is free. */
    boolean isReserved() {
        return nextClaim != null && nextUntil > now && nextUntil <= now + Dialect.LONGEST_RESERVATION;
    }

    boolean isReservedForAnother(ClaimId id) {
        return isReserved() && !isReservedFor(id);
    }

    boolean hasEnded(ClaimId id) {
        return ended != null && ended.contains(id + "@");
    }

    /** Whether the claim for all of it would be granted now. */
    boolean isFreeFor(Claim wanted) {
        return !isInUse() && !isReservedForAnother(wanted.id()) && !hasEnded(wanted.id());
    }

    /** Whether claims wait in the queue. */
    boolean isWaitedFor() {
        return queue != null && !queue.isEmpty();
    }

    /** Whether there is a queue with room in it, and the claim is not there. */
    boolean lacks(ClaimId id) {
        if (queue == null) {
            return false;
        }
        WaitQueue waiting = waitQueue();
        return waiting.hasRoom() && waiting.expiry(id) == 0;
    }

    WaitQueue waitQueue() {
        return new WaitQueue(queue, now);
    }

    /** How much longer it is in use, in microseconds. */
    long left() {
        return endsAt - now;
    }
}
