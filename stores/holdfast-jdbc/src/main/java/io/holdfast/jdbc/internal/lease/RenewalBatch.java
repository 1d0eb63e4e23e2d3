package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Renews leases of the same length on one connection.
 *
 * <p>Claims for a whole name are renewed by one {@code UPDATE}. If it found all of them, they are kept. If not, or if a row is
 * locked by another session, the rows that are not locked are read {@code FOR UPDATE} and decided in one transaction; those that
 * are locked are {@code UNKNOWN}. So a locked row never costs another lease its renewal, and every decision comes from a
 * statement that writes or locks, which no proxy sends to a replica.
 */
final class RenewalBatch {

    /** How many claims one statement renews. */
    static final int MAX_SIZE = 100;

    /** How long a batch starts to wait for locked rows; each wait may last for a lock timeout. */
    private static final long MAX_WAIT_MICROS = 1_000_000;

    /** Shorter leases wait for locked rows last: there is no time for a lock timeout, and then for another one. */
    private static final long SHORT_LEASE_MICROS = 6_000_000;

    /**
     * For shorter leases, locked rows are polled: the network timeout is a third of the lease, which may be less than a lock timeout, and then
     * the connection would be lost.
     */
    private static final long POLLED_LEASE_MICROS = 4_000_000;

    private static final long POLL_NANOS = 2_000_000;

    private final Session session;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final LeaseTransactions transactions;
    private final Ticker ticker;
    private final long micros;
    private final Map<RenewalRequest, RenewalRequest.Outcome> outcomes;

    /** @param outcomes receives each outcome as soon as it is known, also if the batch fails later */
    RenewalBatch(
            Session session,
            LeaseSql sql,
            Dialect dialect,
            LeaseTransactions transactions,
            Ticker ticker,
            Duration lease,
            Map<RenewalRequest, RenewalRequest.Outcome> outcomes) {
        this.session = session;
        this.sql = sql;
        this.dialect = dialect;
        this.transactions = transactions;
        this.ticker = ticker;
        this.micros = Micros.of(lease);
        this.outcomes = outcomes;
    }

    /** Renews at most {@link #MAX_SIZE} leases; there is an outcome for each. */
    void renew(List<RenewalRequest> renewals) throws SQLException {
        List<RenewalRequest> whole = renewals.stream()
                .filter(renewal -> Claims.isExclusive(renewal.claim()))
                .toList();
        if (!whole.isEmpty() && (micros < SHORT_LEASE_MICROS || !renewAll(whole))) {
            renewUnlocked(whole);
        }
        renewEach(renewals.stream()
                .filter(renewal -> !outcomes.containsKey(renewal))
                .toList());
    }

    /** Whether one statement has renewed all of them. */
    private boolean renewAll(List<RenewalRequest> whole) throws SQLException {
        try {
            if (session.singleStatement(same -> update(whole)) != whole.size()) {
                return false;
            }
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            return false;
        }
        whole.forEach(renewal -> outcomes.put(renewal, RenewalRequest.Outcome.KEPT));
        return true;
    }

    /** Renews those whose rows are not locked by another session. */
    private void renewUnlocked(List<RenewalRequest> whole) throws SQLException {
        List<RenewalRequest> kept = session.inTransaction(same -> {
            Map<String, LeaseRow> rows = sql.rows(same, LeaseSql.LOCK_ROWS_SKIP_LOCKED, names(whole));
            List<RenewalRequest> held = new ArrayList<>();
            for (RenewalRequest renewal : whole) {
                LeaseRow row = rows.get(renewal.claim().name());
                if (row != null && row.isHeldBy(renewal.claim().id())) {
                    held.add(renewal);
                }
            }
            // Else some have expired between the two statements, or the driver counts changed rows only.
            return !held.isEmpty() && update(held) == held.size() ? held : List.<RenewalRequest>of();
        });
        kept.forEach(renewal -> outcomes.put(renewal, RenewalRequest.Outcome.KEPT));
    }

    private int update(List<RenewalRequest> renewals) throws SQLException {
        return sql.update(
                session,
                LeaseSql.RENEW,
                micros,
                micros,
                names(renewals),
                renewals.stream().map(renewal -> renewal.claim().id()).toList());
    }

    private static List<LeaseSql.Name> names(List<RenewalRequest> renewals) {
        return LeaseSql.names(renewals.stream().map(RenewalRequest::claim).toList());
    }

    /**
     * Renews those whose rows are not locked first. Then it waits for the others: a row that other processes use is locked nearly all the time,
     * but for moments only. In another order each time, because there may be no time for all.
     */
    private void renewEach(List<RenewalRequest> renewals) throws SQLException {
        List<RenewalRequest> locked = new ArrayList<>();
        for (RenewalRequest renewal : renewals) {
            RenewalRequest.Outcome outcome = renewOne(renewal, LeaseSql.LOCK_ROW_NOWAIT);
            outcomes.put(renewal, outcome);
            if (outcome == RenewalRequest.Outcome.UNKNOWN) {
                locked.add(renewal);
            }
        }
        Collections.shuffle(locked);
        long limit = TimeUnit.MICROSECONDS.toNanos(Math.min(MAX_WAIT_MICROS, micros / 6));
        long startedAt = ticker.nanos();
        if (micros >= POLLED_LEASE_MICROS) {
            for (RenewalRequest renewal : locked) {
                if (ticker.nanos() - startedAt < limit) {
                    outcomes.put(renewal, renewOne(renewal, LeaseSql.LOCK_ROW));
                }
            }
            return;
        }
        while (!locked.isEmpty() && ticker.nanos() - startedAt < limit) {
            LockSupport.parkNanos(POLL_NANOS);
            for (RenewalRequest renewal : List.copyOf(locked)) {
                RenewalRequest.Outcome outcome = renewOne(renewal, LeaseSql.LOCK_ROW_NOWAIT);
                outcomes.put(renewal, outcome);
                if (outcome != RenewalRequest.Outcome.UNKNOWN) {
                    locked.remove(renewal);
                }
            }
        }
    }

    private RenewalRequest.Outcome renewOne(RenewalRequest renewal, String lock) throws SQLException {
        try {
            return transactions.renew(session, renewal, lock);
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
            return RenewalRequest.Outcome.UNKNOWN;
        }
    }
}
