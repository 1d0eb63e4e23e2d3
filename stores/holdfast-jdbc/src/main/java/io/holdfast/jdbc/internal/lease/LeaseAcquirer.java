package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Requests names in the lease table for claims: each attempt grants the name, or says when to retry. */
final class LeaseAcquirer {

    private static final Duration LOCK_CONFLICT_RETRY = Duration.ofMillis(500);
    private static final Duration IMMEDIATELY = Duration.ofNanos(1);

    private final ConnectionWorkers workers;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final Ticker ticker;
    private final PollIntervals intervals;
    private final LeaseTransactions transactions;
    private final LeaseReleaser releaser;
    private final RowPoller rowPoller;
    private final Runnable onWait;

    /** @param onWait is called each time that a waiting claim finds its name held */
    LeaseAcquirer(
            ConnectionWorkers workers,
            LeaseSql sql,
            Dialect dialect,
            Ticker ticker,
            PollIntervals intervals,
            LeaseTransactions transactions,
            LeaseReleaser releaser,
            Runnable onWait) {
        this.workers = workers;
        this.sql = sql;
        this.dialect = dialect;
        this.ticker = ticker;
        this.intervals = intervals;
        this.transactions = transactions;
        this.releaser = releaser;
        this.rowPoller = new RowPoller(workers, sql, dialect, intervals);
        this.onWait = onWait;
    }

    /** Reads the row, and tries to acquire the name if the claim may get it. */
    CompletableFuture<Attempt> poll(PendingClaim pending) {
        return rowPoller.poll(pending.claim()).thenCompose(answer -> {
            RowPoller.Snapshot snapshot = answer.orElse(null);
            if (snapshot == null || mayBeServed(snapshot, pending.claim())) {
                return request(pending.claim(), pending);
            }
            LeaseRow row = snapshot.row();
            if (isReservationDue(row, pending)) {
                return workers.call(pending.claim().name(), session -> {
                    if (pending.isDone()) {
                        throw new StaleRequestException(pending.claim());
                    }
                    return reserve(session, pending, row);
                });
            }
            return CompletableFuture.completedFuture(
                    Claims.isExclusive(pending.claim())
                            ? retry(pending, row)
                            : retry(pending, row, snapshot.untilChange()));
        });
    }

    private boolean mayBeServed(RowPoller.Snapshot snapshot, Claim claim) {
        LeaseRow row = snapshot.row();
        return snapshot.isHeldBy(claim)
                || (Claims.isExclusive(claim) ? row.isFreeFor(claim) : row.mayBeServed(claim, snapshot.holders()))
                || (sql.hasQueue() && row.queue.expiry(claim.id()) == 0 && !row.queue.isFull());
    }

    /**
     * Where waiters are not notified, the first one that finds no claim with priority reserves the name. A claim for some of the units only
     * while one claim holds all of them: later, the reservation would keep smaller claims from units that are free.
     */
    private boolean isReservationDue(LeaseRow row, PendingClaim pending) {
        return !sql.hasQueue()
                && (Claims.isExclusive(pending.claim()) || row.isHeldByOne())
                && !row.isReserved()
                && pending.isReservationDue(row);
    }

    /** Writes the claim into the row as the next one. If the row is locked, it does not wait for it. */
    private Attempt reserve(Session session, PendingClaim pending, LeaseRow row) throws SQLException {
        // Before the statement, which may be executed and not answered.
        pending.markReserved(row);
        Claim claim = pending.claim();
        try {
            sql.changesOne(
                    session,
                    LeaseSql.RESERVE,
                    claim.id(),
                    intervals.reservationMicros(),
                    new LeaseSql.Name(claim.name()),
                    claim.id());
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
        }
        return retry(pending, row);
    }

    private static Duration untilFree(LeaseRow row) {
        return Micros.toDuration(Math.max(row.remainingMicros(), row.isInUse() ? 0 : row.nextUntil - row.now));
    }

    /**
     * Tries to acquire the name.
     *
     * @param pending the claim as it waits; null if it does not wait
     */
    CompletableFuture<Attempt> request(Claim claim, @Nullable PendingClaim pending) {
        return workers.call(claim.name(), session -> {
                    if (pending != null && pending.isDone()) {
                        // It was withdrawn; or the name was handed over to it meanwhile, and perhaps released already.
                        throw new StaleRequestException(claim);
                    }
                    try {
                        return request(session, claim, pending);
                    } catch (StaleRequestException answer) {
                        throw answer;
                    } catch (RefusedException answer) {
                        // The engine does not release a claim that was refused.
                        if (pending != null || releaser.isUnanswered(claim.id())) {
                            releaser.release(session, claim, pending);
                        }
                        throw answer;
                    } catch (SQLException | RuntimeException | Error failure) {
                        boolean conflict = failure instanceof SQLException known && dialect.isCollision(known);
                        if (conflict && pending != null) {
                            return new Attempt.Busy(LOCK_CONFLICT_RETRY);
                        }
                        if (!conflict
                                && !(failure instanceof SQLException known
                                        && dialect.explain(known) instanceof UnusableDatabaseException)) {
                            releaser.addUnanswered(claim.id());
                        }
                        throw failure;
                    }
                })
                .exceptionally(failure -> {
                    throw refusal(claim, failure);
                });
    }

    /** What will fail the same way again is a refusal, unless an earlier request of the claim may have been executed. */
    private CompletionException refusal(Claim claim, Throwable failure) {
        Throwable explained = failure instanceof SQLException known ? dialect.explain(known) : failure;
        if (!(explained instanceof UnusableDatabaseException) || releaser.isUnanswered(claim.id())) {
            return new CompletionException(explained);
        }
        RefusedException refused = new RefusedException(String.valueOf(explained.getMessage()));
        refused.initCause(explained);
        return new CompletionException(refused);
    }

    private Attempt request(Session session, Claim claim, @Nullable PendingClaim pending) throws SQLException {
        Attempt attempt = Claims.isExclusive(claim)
                ? acquireAll(session, claim, pending)
                : transactions.acquireUnits(session, claim);
        if (pending == null) {
            return attempt;
        }
        if (attempt instanceof Attempt.Busy busy) {
            onWait.run();
            return Claims.isExclusive(claim)
                    ? busy
                    : new Attempt.Busy(intervals.retryAfter(pending, busy.retryAfter(), false));
        }
        pending.markGranted();
        return attempt;
    }

    private Attempt acquireAll(Session session, Claim claim, @Nullable PendingClaim pending) throws SQLException {
        Moment sent = ticker.now();
        LeaseRow row = sql.acquire == null
                ? transactions.acquireAll(session, claim)
                : sql.acquire(session, sql.acquire, claim, intervals.entryLifetimeMicros());
        boolean isOpen = !row.isHeldBy(claim.id()) && !row.hasTombstone(claim.id());
        if (pending != null && sql.acquireOrEnqueue != null && isOpen) {
            sent = ticker.now();
            row = sql.acquire(session, sql.acquireOrEnqueue, claim, intervals.entryLifetimeMicros());
        }
        if (row.isHeldBy(claim.id())) {
            if (row.queue.first() != null) {
                releaser.addGrantedWithWaiters(claim.id());
            }
            return new Attempt.Granted(Claims.grant(claim, row.firstToken, row.lastToken, sent, row.remainingMicros()));
        }
        if (row.hasTombstone(claim.id())) {
            throw new StaleRequestException(claim);
        }
        if (row.isInUse() && row.capacity != claim.capacity()) {
            throw RefusedException.wrongKind(claim, row.capacity);
        }
        if (pending == null) {
            return new Attempt.Busy(untilFree(row));
        }
        pending.answeredAt(sent, row);
        if (sql.hasQueue() && row.queue.hasRoom() && row.queue.expiry(claim.id()) == 0) {
            // The row changed meanwhile, so the claim is not queued.
            return new Attempt.Busy(IMMEDIATELY);
        }
        return isReservationDue(row, pending) ? reserve(session, pending, row) : retry(pending, row);
    }

    private Attempt retry(PendingClaim pending, LeaseRow row) {
        return retry(pending, row, untilFree(row));
    }

    private Attempt retry(PendingClaim pending, LeaseRow row, Duration untilFree) {
        boolean isOtherNext = row.isReservedForAnother(pending.claim().id());
        return new Attempt.Busy(intervals.retryAfter(pending, untilFree, isOtherNext));
    }
}
