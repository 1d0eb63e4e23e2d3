package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.RecentClaims;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Releases and withdraws claims in the lease table, and decides which of them leave a tombstone. */
final class LeaseReleaser {

    private final LeaseSql sql;
    private final LeaseTransactions transactions;
    /** Claims of which a request was not answered: a stale request may still be executed. */
    private final RecentClaims unanswered;
    /** Claims that were granted while others were in the wait queue. */
    private final RecentClaims grantedWithWaiters;

    LeaseReleaser(LeaseSql sql, LeaseTransactions transactions, Ticker ticker) {
        this.sql = sql;
        this.transactions = transactions;
        this.unanswered = new RecentClaims(ticker);
        this.grantedWithWaiters = new RecentClaims(ticker);
    }

    /** A request of the claim failed, and may be executed nevertheless. */
    void addUnanswered(ClaimId id) {
        unanswered.add(id);
    }

    boolean isUnanswered(ClaimId id) {
        return unanswered.has(id);
    }

    /** The claim was granted while others were in the wait queue. */
    void addGrantedWithWaiters(ClaimId id) {
        grantedWithWaiters.add(id);
    }

    /**
     * Releases or withdraws the claim. Whether it held the name.
     *
     * @param withdrawn the claim as it waited until now; null if it did not wait
     */
    boolean release(Session session, Claim claim, @Nullable PendingClaim withdrawn) throws SQLException {
        boolean isUnanswered = unanswered.has(claim.id());
        LeaseSql.Name name = new LeaseSql.Name(claim.name());
        if (withdrawn != null && !isUnanswered && !sql.hasQueue() && !withdrawn.wasGranted()) {
            if (withdrawn.hasReserved()) {
                sql.changesOne(session, LeaseSql.UNRESERVE, name, claim.id());
            }
            return false;
        }
        LeaseTransactions.Tombstone tombstone = isUnanswered
                ? LeaseTransactions.Tombstone.ALWAYS
                : withdrawn != null ? LeaseTransactions.Tombstone.NEVER : LeaseTransactions.Tombstone.UNLESS_HELD;
        boolean held = (withdrawn == null
                        && !isUnanswered
                        && Claims.isExclusive(claim)
                        && releaseExclusive(session, name, claim.id()))
                || transactions.release(session, claim, tombstone);
        unanswered.remove(claim.id());
        grantedWithWaiters.remove(claim.id());
        return held;
    }

    /** Other claims may have been queued since the claim was granted: then the statement for an empty wait queue changes nothing. */
    private boolean releaseExclusive(Session session, LeaseSql.Name name, ClaimId id) throws SQLException {
        return (!grantedWithWaiters.has(id) && sql.changesOne(session, sql.release, name, id))
                || (sql.handOver != null && sql.changesOne(session, sql.handOver, name, id));
    }
}
