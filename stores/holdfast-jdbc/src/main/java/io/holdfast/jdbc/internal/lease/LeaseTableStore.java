package io.holdfast.jdbc.internal.lease;

import io.holdfast.LockInfo;
import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.Micros;
import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.StoreClosedException;
import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RecentClaims;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A lease table: one row per name. */
public final class LeaseTableStore implements LockStore {

    /*
     * Safety. All that decides about a name is in its row, and every change of the name locks that row: the statements for
     * whole claims by themselves, those for shares in a transaction that locks it first. So changes of a name follow one
     * another, each of them sees what the one before has left, and a name changes hands only
     *   - when its holder releases it (`claim` is compared in the same statement), perhaps to the first claim in the queue,
     *   - when its end has passed on the clock of the database, the only one that is compared, or
     *   - by revoke().
     * "Now" is when the statement began. One that had to wait for the row takes an older time for the present: it sees a
     * lease that has just ended as running, and makes its own end sooner. Both are on the safe side, because the holder
     * counts from before the statement was sent.
     *
     * Only statements that write or lock decide. A proxy may send others to a replica that lags behind, so what they answer is
     * a hint to try again, or when to.
     *
     * Tokens. `last_token` grows with every grant, under the same lock, and stays when the name is released; a row that
     * was swept is made anew at the clock, which is far ahead of its last token.
     *
     * A grant counts when it is committed, and durable. If it were not, a server that crashes could forget it. A grant by
     * hand-over is the exception: see `PostgresDialect.handOver`.
     *
     * Stale requests. A database may execute a request of a closed connection, after the release of the same claim. So a claim of
     * which a request was not answered is in `unsure`, and its release leaves a tombstone in the row by which the stale request is
     * refused. A claim that was refused, and whose every request was answered, needs none.
     *
     * Order between processes. On databases that can notify, there is a queue in the row. Elsewhere, whichever process polls at the
     * right moment acquires the name; but one that has waited for some time puts its claim into the row as the next, and has
     * priority for a while. Nothing but fairness depends on either: entries expire, so a process that dies there blocks no other.
     */
    private static final System.Logger LOG = StoreLog.LOGGER;
    private static final Duration LOCK_CONFLICT_RETRY = Duration.ofMillis(500);
    private static final Duration IMMEDIATELY = Duration.ofNanos(1);

    private final ConnectionSource source;
    private final Environment environment;
    private final Dialect dialect;
    private final LeaseSql sql;
    private final ConnectionWorkers workers;
    private final PollIntervals intervals;
    private final LeaseTransactions transactions;
    private final LeaseRenewals renewals;
    private final RowPoller rowPoller;
    private final Capabilities capabilities;
    private final @Nullable NotificationListener listener;
    private final Duration timeout;
    private final RowSweeper sweeper;
    private final RecentClaims unansweredClaims;
    /** Claims that were granted while others were in the wait queue. */
    private final RecentClaims grantedWithWaiters;

    private final Map<ClaimId, PendingClaim> pending = new ConcurrentHashMap<>();
    private final Map<String, Set<PendingClaim>> pendingByName = new ConcurrentHashMap<>();

    public LeaseTableStore(
            ConnectionSource source,
            Environment environment,
            Dialect dialect,
            LeaseSql sql,
            ConnectionWorkers workers,
            @Nullable ConnectionSource notificationSource,
            StoreSettings settings) {
        String name = source.name();
        this.source = source;
        this.environment = environment;
        this.dialect = dialect;
        this.sql = sql;
        this.workers = workers;
        this.intervals = new PollIntervals(environment, pending::size, notificationSource != null);
        this.transactions = new LeaseTransactions(sql, environment.ticker(), intervals::entryLifetimeMicros);
        this.rowPoller = new RowPoller(workers, sql, dialect, intervals);
        Ticker ticker = environment.ticker();
        this.renewals =
                new LeaseRenewals(workers, sql, dialect, transactions, ticker, new Complaints(LOG, name, ticker));
        this.unansweredClaims = new RecentClaims(environment.ticker());
        this.grantedWithWaiters = new RecentClaims(environment.ticker());
        this.capabilities = new Capabilities(name, Capabilities.Queue.NONE, Capabilities.Sharing.UNITS);
        this.timeout = settings.timeout();
        this.listener = notificationSource == null
                ? null
                : new NotificationListener(
                        name, notificationSource, sql.channel(), settings.timeout(), environment, this);
        this.sweeper = new RowSweeper(name, environment, workers, dialect, sql.sweep(settings.retention()));
        if (listener != null && notificationSource != null && notificationSource.isPool()) {
            // Its connection was borrowed for that.
            listener.start();
        }
    }

    /** What a waiting claim does next. */
    enum Step {
        /** Reads the row, and tries to acquire the name if it is free. */
        CHECK,
        ACQUIRE
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        sweeper.startNear(claim.name());
        if (claim.mode() == Claim.Mode.TRY) {
            return request(claim, null)
                    .thenApply(attempt -> attempt instanceof Attempt.Granted granted
                            ? Optional.of(granted.grant())
                            : Optional.empty());
        }
        PendingClaim waiting = new PendingClaim(this, environment, claim);
        // First here: a release that comes at once removes it from both.
        pendingByName.compute(claim.name(), (name, present) -> {
            Set<PendingClaim> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(waiting);
            return all;
        });
        PendingClaim before = pending.put(claim.id(), waiting);
        if (before != null) {
            before.withdraw(new IllegalStateException("The claim was requested again."));
        }
        waiting.request();
        return waiting.answer();
    }

    /** The next step of a claim that waits. */
    CompletableFuture<Attempt> attempt(PendingClaim waiting, Step step) {
        if (step == Step.ACQUIRE) {
            return request(waiting.claim(), waiting);
        }
        return rowPoller.poll(waiting.claim()).thenCompose(answer -> {
            RowPoller.Snapshot snapshot = answer.orElse(null);
            if (snapshot == null || mayBeServed(snapshot, waiting.claim())) {
                return request(waiting.claim(), waiting);
            }
            LeaseRow row = snapshot.row();
            if (isReservationDue(row, waiting)) {
                return workers.call(waiting.claim().name(), session -> {
                    if (waiting.isDone()) {
                        throw new StaleRequestException(waiting.claim());
                    }
                    return reserve(session, waiting, row);
                });
            }
            return CompletableFuture.completedFuture(
                    Claims.isExclusive(waiting.claim())
                            ? retry(waiting, row)
                            : retry(waiting, row, snapshot.untilChange()));
        });
    }

    private boolean mayBeServed(RowPoller.Snapshot snapshot, Claim claim) {
        LeaseRow row = snapshot.row();
        return snapshot.isHeldBy(claim)
                || (Claims.isExclusive(claim) ? row.isFreeFor(claim) : row.mayBeServed(claim, snapshot.holders()))
                || (sql.hasQueue() && row.queue.expiry(claim.id()) == 0 && !row.queue.isFull());
    }

    /**
     * Where waiters are not notified, the first one that sees that no claim is the next reserves the name. A claim for a part only while
     * one claim holds all of it, for later it would keep smaller ones from what is free.
     */
    private boolean isReservationDue(LeaseRow row, PendingClaim waiting) {
        return !sql.hasQueue()
                && (Claims.isExclusive(waiting.claim()) || row.isHeldByOne())
                && !row.isReserved()
                && waiting.isReservationDue(row);
    }

    /** Puts the claim into the row as the next. If the row is locked, it is not worth waiting for. */
    private Attempt reserve(Session session, PendingClaim waiting, LeaseRow row) throws SQLException {
        // First, for the statement may be executed and not answered.
        waiting.markReserved(row);
        Claim claim = waiting.claim();
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
        return retry(waiting, row);
    }

    private static Duration untilFree(LeaseRow row) {
        return Micros.toDuration(Math.max(row.remainingMicros(), row.isInUse() ? 0 : row.nextUntil - row.now));
    }

    /** Tries to acquire the name. */
    private CompletableFuture<Attempt> request(Claim claim, @Nullable PendingClaim waiting) {
        return workers.call(claim.name(), session -> {
                    if (waiting != null && waiting.isDone()) {
                        // Withdrawn; or handed over meanwhile, and perhaps released already.
                        throw new StaleRequestException(claim);
                    }
                    try {
                        return request(session, claim, waiting);
                    } catch (StaleRequestException answer) {
                        throw answer;
                    } catch (RefusedException answer) {
                        // The engine does not release a claim that was refused.
                        if (waiting != null || unansweredClaims.has(claim.id())) {
                            release(session, claim, waiting);
                        }
                        throw answer;
                    } catch (SQLException | RuntimeException | Error failure) {
                        boolean conflict = failure instanceof SQLException known && dialect.isCollision(known);
                        if (conflict && waiting != null) {
                            return new Attempt.Busy(LOCK_CONFLICT_RETRY);
                        }
                        if (!conflict
                                && !(failure instanceof SQLException known
                                        && dialect.explain(known) instanceof UnusableDatabaseException)) {
                            unansweredClaims.add(claim.id());
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
        Throwable explain = failure instanceof SQLException known ? dialect.explain(known) : failure;
        if (!(explain instanceof UnusableDatabaseException) || unansweredClaims.has(claim.id())) {
            return new CompletionException(explain);
        }
        RefusedException refused = new RefusedException(String.valueOf(explain.getMessage()));
        refused.initCause(explain);
        return new CompletionException(refused);
    }

    private Attempt request(Session session, Claim claim, @Nullable PendingClaim waiting) throws SQLException {
        Attempt attempt = Claims.isExclusive(claim)
                ? acquireAll(session, claim, waiting)
                : transactions.acquireUnits(session, claim);
        if (waiting == null) {
            return attempt;
        }
        if (attempt instanceof Attempt.Busy busy) {
            if (listener != null) {
                listener.start();
            }
            return Claims.isExclusive(claim)
                    ? busy
                    : new Attempt.Busy(intervals.retryAfter(waiting, busy.retryAfter(), false));
        }
        waiting.markGranted();
        return attempt;
    }

    private Attempt acquireAll(Session session, Claim claim, @Nullable PendingClaim waiting) throws SQLException {
        Moment sent = environment.ticker().now();
        LeaseRow row = sql.acquire == null
                ? transactions.acquireAll(session, claim)
                : sql.acquire(session, sql.acquire, claim, intervals.entryLifetimeMicros());
        boolean isOpen = !row.isHeldBy(claim.id()) && !row.hasTombstone(claim.id());
        if (waiting != null && sql.acquireOrEnqueue != null && isOpen) {
            sent = environment.ticker().now();
            row = sql.acquire(session, sql.acquireOrEnqueue, claim, intervals.entryLifetimeMicros());
        }
        if (row.isHeldBy(claim.id())) {
            if (row.queue.first() != null) {
                grantedWithWaiters.add(claim.id());
            }
            return new Attempt.Granted(Claims.grant(claim, row.firstToken, row.lastToken, sent, row.remainingMicros()));
        }
        if (row.hasTombstone(claim.id())) {
            throw new StaleRequestException(claim);
        }
        if (row.isInUse() && row.capacity != claim.capacity()) {
            throw RefusedException.anotherSize(claim, row.capacity);
        }
        if (waiting == null) {
            return new Attempt.Busy(untilFree(row));
        }
        waiting.answeredAt(sent, row);
        if (sql.hasQueue() && row.queue.hasRoom() && row.queue.expiry(claim.id()) == 0) {
            // The row changed meanwhile, so the claim is not queued.
            return new Attempt.Busy(IMMEDIATELY);
        }
        return isReservationDue(row, waiting) ? reserve(session, waiting, row) : retry(waiting, row);
    }

    private Attempt retry(PendingClaim waiting, LeaseRow row) {
        return retry(waiting, row, untilFree(row));
    }

    private Attempt retry(PendingClaim waiting, LeaseRow row, Duration untilFree) {
        boolean isOtherNext = row.isReservedForAnother(waiting.claim().id());
        return new Attempt.Busy(intervals.retryAfter(waiting, untilFree, isOtherNext));
    }

    /** The wait of a claim is over. */
    void removePending(PendingClaim waiting) {
        pending.remove(waiting.claim().id(), waiting);
        pendingByName.computeIfPresent(waiting.claim().name(), (name, all) -> {
            all.remove(waiting);
            return all.isEmpty() ? null : all;
        });
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> leases) {
        return renewals.renew(leases);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        long micros = Micros.of(lease);
        return workers.call(claim.name(), session -> transactions.shorten(session, claim, micros));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        PendingClaim before = pending.remove(claim.id());
        // Not "no": a request that is under way may be granted, and the release then says that the claim held.
        PendingClaim waiting =
                before != null && before.withdraw(new IllegalStateException("The claim was released while it waited."))
                        ? before
                        : null;
        return workers.call(claim.name(), session -> release(session, claim, waiting))
                .whenComplete((held, failure) -> {
                    if (Boolean.TRUE.equals(held)) {
                        requestAll(claim.name());
                    }
                });
    }

    private boolean release(Session session, Claim claim, @Nullable PendingClaim waiting) throws SQLException {
        boolean isUnsure = unansweredClaims.has(claim.id());
        LeaseSql.Name name = new LeaseSql.Name(claim.name());
        if (waiting != null && !isUnsure && !sql.hasQueue() && !waiting.wasGranted()) {
            if (waiting.hasReserved()) {
                sql.changesOne(session, LeaseSql.UNRESERVE, name, claim.id());
            }
            return false;
        }
        LeaseTransactions.Tombstone tombstone = isUnsure
                ? LeaseTransactions.Tombstone.ALWAYS
                : waiting != null ? LeaseTransactions.Tombstone.NEVER : LeaseTransactions.Tombstone.UNLESS_HELD;
        boolean held =
                (waiting == null && !isUnsure && Claims.isExclusive(claim) && releaseWhole(session, name, claim.id()))
                        || transactions.release(session, claim, tombstone);
        unansweredClaims.remove(claim.id());
        grantedWithWaiters.remove(claim.id());
        return held;
    }

    /** Others may have come to wait since the claim was granted: then the statement for a name without a queue changes nothing. */
    private boolean releaseWhole(Session session, LeaseSql.Name name, ClaimId id) throws SQLException {
        return (!grantedWithWaiters.has(id) && sql.changesOne(session, sql.release, name, id))
                || (sql.handOver != null && sql.changesOne(session, sql.handOver, name, id));
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return new LeaseInspection(workers, sql, environment.ticker(), timeout).of(filter);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return workers.call(name, session -> transactions.revoke(session, name, token))
                .whenComplete((done, failure) -> {
                    if (Boolean.TRUE.equals(done)) {
                        requestAll(name);
                    }
                });
    }

    /** Where waiters are not notified, those of this process need not wait for their next poll. */
    private void requestAll(String name) {
        Set<PendingClaim> waiting = pendingByName.get(name);
        if (listener == null && waiting != null) {
            waiting.forEach(PendingClaim::request);
        }
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    /** A notification for one of all the processes. */
    void notified(NotificationMessage handover, Moment received) {
        PendingClaim waiting = pending.get(handover.claim());
        if (waiting == null) {
            return;
        }
        if (handover.grant() == null) {
            waiting.request();
        } else {
            grantedWithWaiters.add(handover.claim());
            waiting.handedOver(handover.grant(), received);
        }
    }

    /** Notifications may have been lost, and the database may be another one. */
    void listenerConnected() {
        pending.values().forEach(waiting -> {
            waiting.forgetServerClock();
            waiting.poll();
        });
    }

    @Override
    public void close() {
        sweeper.close();
        pending.values().forEach(waiting -> waiting.withdraw(new StoreClosedException()));
        if (listener != null) {
            listener.close();
        }
        workers.close();
        if (workers.areTerminated()) {
            source.close();
        }
    }
}
