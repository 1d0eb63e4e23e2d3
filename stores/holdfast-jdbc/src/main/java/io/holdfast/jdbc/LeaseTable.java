package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RecentClaims;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Renewal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A lease table: one row per name. */
final class LeaseTable implements LockStore {

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
     * hand-over is the exception: see `Postgres.release`.
     *
     * Stale requests. A database may execute a request of a closed connection, after the release of the same claim. So a claim of
     * which a request was not answered is in `unsure`, and its release leaves a tombstone in the row by which the stale request is
     * refused. A claim that was refused, and whose every request was answered, needs none.
     *
     * Order between processes. On databases that can notify, there is a queue in the row. Elsewhere, whichever process polls at the
     * right moment acquires the name; but one that has waited for some time puts its claim into the row as the next, and has
     * priority for a while. Nothing but fairness depends on either: entries expire, so a process that dies there holds nobody up.
     */
    private static final int LARGEST_BLOCK = 64;
    private static final long SHORTEST_POLL = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_POLL = TimeUnit.MILLISECONDS.toNanos(50);

    /** How often a waiter polls that is notified. */
    private static final long FALLBACK = TimeUnit.SECONDS.toNanos(1);

    /** How many polls there are at most: one for each waiting claim in this time. */
    private static final long POLL_PER_CLAIM = TimeUnit.MICROSECONDS.toNanos(250);

    private static final Duration LOCKED = Duration.ofMillis(500);
    private static final long SHORTEST_RENEWAL = 250;
    private static final int MOST_WAITS = 1_000;

    private final Source source;
    private final Environment environment;
    private final Dialect dialect;
    private final LeaseSql sql;
    private final Lanes lanes;
    private final Shares shares;
    private final Lookups lookups;
    private final Capabilities capabilities;
    private final @Nullable Listening listening;
    private final Sweeping sweeping;
    private final RecentClaims unsure;
    private final Map<ClaimId, PendingClaim> pending = new ConcurrentHashMap<>();
    private final Map<String, Set<PendingClaim>> pendingByName = new ConcurrentHashMap<>();
    /** How long the last wait for a name took: where many processes wait, each polls less often. */
    private final Map<String, Long> lastWaits = new ConcurrentHashMap<>();

    LeaseTable(
            Source source,
            Environment environment,
            Dialect dialect,
            LeaseSql sql,
            Lanes lanes,
            @Nullable Source pushes,
            Settings settings) {
        String name = source.name();
        this.source = source;
        this.environment = environment;
        this.dialect = dialect;
        this.sql = sql;
        this.lanes = lanes;
        this.shares = new Shares(sql, dialect, environment.ticker(), this::placeMicros);
        this.lookups = new Lookups(lanes, sql, dialect, this::placeMicros, this::gather);
        this.unsure = new RecentClaims(environment.ticker());
        this.capabilities = new Capabilities(name, Capabilities.Queue.NONE, Capabilities.Sharing.UNITS);
        this.listening = pushes == null
                ? null
                : new Listening(name, pushes, sql.channel(), settings.timeout(), environment, this);
        this.sweeping = new Sweeping(name, environment, lanes, settings.retention(), sql.sweep(settings.retention()));
    }

    /** What a waiting claim does next. */
    enum Step {
        /** Reads the row, and tries to acquire the name if it is free. */
        CHECK,
        ACQUIRE
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        if (claim.mode() == Claim.Mode.TRY) {
            return request(claim, null)
                    .thenApply(attempt -> attempt instanceof Attempt.Granted granted
                            ? Optional.of(granted.grant())
                            : Optional.empty());
        }
        PendingClaim waiting = new PendingClaim(this, environment, claim);
        PendingClaim before = pending.put(claim.id(), waiting);
        if (before != null) {
            before.withdraw(new IllegalStateException("The claim has asked again."));
        }
        pendingByName.compute(claim.name(), (name, present) -> {
            Set<PendingClaim> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(waiting);
            return all;
        });
        waiting.ask();
        return waiting.answer();
    }

    /** The next step of a claim that waits. */
    CompletableFuture<Attempt> attempt(PendingClaim waiting, Step step) {
        if (step == Step.ACQUIRE) {
            return request(waiting.claim(), waiting);
        }
        return lookups.of(waiting.claim()).thenCompose(found -> {
            LeaseRow row = found.orElse(null);
            if (row == null || isWorthARequest(row, waiting.claim())) {
                return request(waiting.claim(), waiting);
            }
            waiting.sawHolder(row);
            if (isReservationDue(row, waiting)) {
                return lanes.call(waiting.claim().name(), session -> {
                    reserve(session, waiting);
                    return new Attempt.Busy(retryAfter(waiting, row));
                });
            }
            return CompletableFuture.completedFuture(new Attempt.Busy(retryAfter(waiting, row)));
        });
    }

    private static boolean isWorthARequest(LeaseRow row, Claim claim) {
        boolean isFree = isWhole(claim) ? row.isFreeFor(claim) : !row.isHeldByOne();
        return isFree
                || row.isHeldBy(claim.id())
                || (row.queue() != null && row.waitQueue().expiry(claim.id()) == 0);
    }

    /** Where waiters are not notified, the first one that sees that nobody is the next puts itself there. */
    private boolean isReservationDue(LeaseRow row, PendingClaim waiting) {
        return sql.tell == null && !row.isReserved() && waiting.isReservationDue();
    }

    private static Duration untilFree(LeaseRow row) {
        return micros(Math.max(row.left(), row.isInUse() ? 0 : row.nextUntil() - row.now()));
    }

    /** Tries to acquire the name. */
    private CompletableFuture<Attempt> request(Claim claim, @Nullable PendingClaim waiting) {
        return lanes.call(claim.name(), session -> {
                    if (waiting != null && waiting.isWithdrawn()) {
                        throw tooLate(claim);
                    }
                    try {
                        return request(session, claim, waiting);
                    } catch (TooLate answer) {
                        throw answer;
                    } catch (RefusedException answer) {
                        // The engine does not release a claim that was refused.
                        if (waiting != null || unsure.has(claim.id())) {
                            release(session, claim, waiting);
                        }
                        throw answer;
                    } catch (SQLException | RuntimeException | Error failure) {
                        boolean conflict = failure instanceof SQLException known && dialect.isCollision(known);
                        if (conflict && waiting != null) {
                            return new Attempt.Busy(LOCKED);
                        }
                        if (!conflict
                                && !(failure instanceof SQLException known
                                        && dialect.explained(known) instanceof SqliteFile.Unusable)) {
                            unsure.add(claim.id());
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
        Throwable explained = failure instanceof SQLException known ? dialect.explained(known) : failure;
        if (!(explained instanceof SqliteFile.Unusable) || unsure.has(claim.id())) {
            return new CompletionException(explained);
        }
        RefusedException refused = new RefusedException(String.valueOf(explained.getMessage()));
        refused.initCause(explained);
        return new CompletionException(refused);
    }

    private Attempt request(Session session, Claim claim, @Nullable PendingClaim waiting) throws SQLException {
        Attempt attempt = isWhole(claim) ? takeAll(session, claim, waiting) : shares.take(session, claim);
        if (waiting == null) {
            return attempt;
        }
        if (attempt instanceof Attempt.Busy busy) {
            if (listening != null) {
                listening.begin();
            }
            return isWhole(claim) ? busy : new Attempt.Busy(retryAfter(waiting, busy.retryAfter(), false));
        }
        waiting.executed();
        return attempt;
    }

    private Attempt takeAll(Session session, Claim claim, @Nullable PendingClaim waiting) throws SQLException {
        Moment sent = environment.ticker().now();
        LeaseRow row = session.alone(same -> take(same, claim));
        if (row.isHeldBy(claim.id())) {
            int tokens = (int) (row.lastToken() - row.firstToken() + 1);
            return new Attempt.Granted(new Grant(claim, row.firstToken(), tokens, sent, micros(row.left())));
        }
        if (row.hasEnded(claim.id())) {
            throw tooLate(claim);
        }
        if (row.isInUse() && row.capacity() != claim.capacity()) {
            throw RefusedException.anotherSize(claim, row.capacity());
        }
        if (waiting == null) {
            return new Attempt.Busy(untilFree(row));
        }
        waiting.saw(sent, row);
        waiting.sawHolder(row);
        if (isReservationDue(row, waiting)) {
            reserve(session, waiting);
        }
        return new Attempt.Busy(retryAfter(waiting, row));
    }

    private LeaseRow take(Session session, Claim claim) throws SQLException {
        PreparedStatement statement =
                dialect.takeAnswers() ? session.prepare(sql.take) : session.prepareWithKey(sql.take);
        dialect.setName(statement, 1, claim.name());
        statement.setInt(2, claim.capacity());
        statement.setString(3, claim.id().toString());
        statement.setLong(4, tokens(claim));
        statement.setLong(5, micros(claim.lease()));
        statement.setString(6, WaitQueue.owner(claim));
        if (sql.tell != null) {
            statement.setLong(7, claim.mode() == Claim.Mode.WAIT ? placeMicros() : 0);
        }
        LeaseRow row = dialect.takeAnswers() ? answer(statement, claim) : numbered(statement, claim);
        row = row == null ? LockedName.read(session, sql.lock, dialect, claim.name()) : row;
        if (row == null) {
            throw new SQLException("The row of '" + claim.name() + "' was removed just now.", "40001");
        }
        return row;
    }

    private static @Nullable LeaseRow answer(PreparedStatement statement, Claim claim) throws SQLException {
        try (ResultSet rows = Dialect.rows(statement)) {
            LeaseRow row = rows.next() ? LeaseRow.of(rows) : null;
            // To its end: SQLite answers first and commits then, and reports by the next step that it could not.
            if (row != null && rows.next()) {
                throw new SQLException("Two rows for '" + claim.name() + "'.");
            }
            return row;
        }
    }

    /** See {@link MySql#answering}. Null if the name is not free. */
    private static @Nullable LeaseRow numbered(PreparedStatement statement, Claim claim) throws SQLException {
        statement.executeUpdate();
        try (ResultSet keys = statement.getGeneratedKeys()) {
            long number = keys.next() ? keys.getLong(1) : 0;
            if (number == 0) {
                return null;
            }
            long tokens = number % 128 == 0 ? tokens(claim) : number % 128;
            return LeaseRow.granted(claim, number / 128, number / 128 + tokens - 1);
        }
    }

    /** How long to wait until the next poll. */
    private Duration retryAfter(PendingClaim waiting, LeaseRow row) {
        return retryAfter(
                waiting,
                untilFree(row),
                row.isReservedForAnother(waiting.claim().id()));
    }

    private Duration retryAfter(PendingClaim waiting, Duration untilFree, boolean isOtherNext) {
        long waited = waiting.waitedNanos();
        long poll;
        if (sql.tell != null) {
            poll = listening != null ? Math.max(FALLBACK, 4 * crowd()) : LONGEST_POLL;
        } else {
            poll = between(
                    SHORTEST_POLL, waiting.nearNanos() / 8, between(LONGEST_POLL, waited / 50, 4 * LONGEST_POLL));
            if (isOtherNext) {
                // It will not be served before the other, nor before those that were as fast as it is now.
                long last = lastWaits.getOrDefault(waiting.claim().name(), 0L);
                poll = Math.max(poll, between(LONGEST_POLL / 2, Math.max(waited, last) / 2, 4 * LONGEST_POLL));
            }
            poll = Math.max(poll, crowd());
        }
        double jitter = 0.75 + 0.25 * environment.random().getAsDouble();
        long nanos = Math.min((long) (poll * jitter), Math.max(SHORTEST_POLL, untilFree.toNanos()));
        return Duration.ofNanos(nanos);
    }

    private static long between(long least, long value, long most) {
        return Math.max(least, Math.min(value, most));
    }

    private long crowd() {
        return pending.size() * POLL_PER_CLAIM;
    }

    /** Runs a batch of polls: later if there are many, so that more of them go together. */
    private void gather(Runnable batch) {
        long delay = Math.min(LONGEST_POLL, crowd() / 20);
        if (delay < SHORTEST_POLL) {
            batch.run();
        } else {
            environment.scheduler().schedule(batch, delay);
        }
    }

    /** For how long an entry in the wait queue is good: longer than until it is refreshed. */
    private long placeMicros() {
        return Math.min(WaitQueue.LONGEST_MICROS, 5 * TimeUnit.NANOSECONDS.toMicros(Math.max(FALLBACK, 4 * crowd())));
    }

    /** Puts the claim into the row as the next. */
    private void reserve(Session session, PendingClaim waiting) throws SQLException {
        Claim claim = waiting.claim();
        waiting.reserves();
        PreparedStatement reserve = session.prepare(sql.reserve);
        reserve.setString(1, claim.id().toString());
        reserve.setLong(
                2,
                Math.min(
                        Dialect.LONGEST_RESERVATION,
                        Math.max(Dialect.RESERVATION, 3 * TimeUnit.NANOSECONDS.toMicros(crowd()))));
        dialect.setName(reserve, 3, claim.name());
        reserve.setString(4, claim.id().toString());
        try {
            session.alone(same -> reserve.executeUpdate());
        } catch (SQLException failure) {
            if (!dialect.isCollision(failure)) {
                throw failure;
            }
        }
    }

    /** The wait of a claim is over. */
    void ended(PendingClaim waiting, boolean isGranted) {
        Claim claim = waiting.claim();
        if (isGranted) {
            pending.remove(claim.id(), waiting);
            if (lastWaits.size() > MOST_WAITS) {
                lastWaits.clear();
            }
            lastWaits.put(claim.name(), waiting.waitedNanos());
        }
        pendingByName.computeIfPresent(claim.name(), (name, all) -> {
            all.remove(waiting);
            return all.isEmpty() ? null : all;
        });
    }

    /** Those of one length together, because how long to wait for the database depends on it. */
    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        Map<Duration, List<Renewal>> byLease = new LinkedHashMap<>();
        renewals.forEach(renewal -> byLease.computeIfAbsent(renewal.lease(), lease -> new ArrayList<>())
                .add(renewal));
        Map<Renewal, Renewal.Outcome> outcomes = new ConcurrentHashMap<>();
        List<CompletableFuture<Void>> batches = new ArrayList<>();
        byLease.forEach((lease, all) -> {
            for (int from = 0; from < all.size(); from += RenewalBatch.LARGEST) {
                List<Renewal> some = all.subList(from, Math.min(all.size(), from + RenewalBatch.LARGEST));
                batches.add(lanes.call(Lane.Priority.RENEWAL, session -> renew(session, lease, some))
                        .thenAccept(answers -> {
                            for (int i = 0; i < some.size(); i++) {
                                outcomes.put(some.get(i), answers.get(i));
                            }
                        }));
            }
        });
        return CompletableFuture.allOf(batches.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> {
                    if (failure != null && outcomes.isEmpty()) {
                        throw failure instanceof CompletionException known ? known : new CompletionException(failure);
                    }
                    return renewals.stream()
                            .map(renewal -> outcomes.getOrDefault(renewal, Renewal.Outcome.UNKNOWN))
                            .toList();
                });
    }

    private List<Renewal.Outcome> renew(Session session, Duration lease, List<Renewal> some) throws SQLException {
        int before = dialect.limitOf(session.connection());
        dialect.limit(session.connection(), limit(lease, before));
        List<Renewal.Outcome> outcomes;
        try {
            outcomes = new RenewalBatch(session, sql, dialect, shares, lease).renew(some);
        } catch (SQLException failure) {
            unlimit(session, before, failure);
            throw failure;
        }
        dialect.limit(session.connection(), before);
        return outcomes;
    }

    private void unlimit(Session session, int before, SQLException failure) {
        try {
            dialect.limit(session.connection(), before);
        } catch (SQLException alsoThat) {
            failure.addSuppressed(alsoThat);
        }
    }

    /** If the connection is half-open, there must be time for another before the leases are over. */
    private static int limit(Duration lease, int longest) {
        return (int) Math.min(longest, Math.max(SHORTEST_RENEWAL, lease.toMillis() / 3));
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        long micros = micros(lease);
        return lanes.call(claim.name(), session -> {
            // If the driver counts changed rows only, or the claim has a part of the name, the transaction decides.
            return (isWhole(claim) && shorten(session, claim, micros)) || shares.shorten(session, claim, micros);
        });
    }

    private boolean shorten(Session session, Claim claim, long micros) throws SQLException {
        PreparedStatement shorten = session.prepare(sql.shorten);
        shorten.setLong(1, micros);
        shorten.setLong(2, micros);
        dialect.setName(shorten, 3, claim.name());
        shorten.setString(4, claim.id().toString());
        return session.alone(same -> shorten.executeUpdate()) == 1;
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        PendingClaim waiting = pending.remove(claim.id());
        if (waiting != null) {
            // Not "no": a request that is under way may be granted, and the release then says that the claim held.
            waiting.withdraw(new IllegalStateException("The claim was released while it waited."));
        }
        return lanes.call(claim.name(), session -> release(session, claim, waiting))
                .whenComplete((held, failure) -> {
                    if (Boolean.TRUE.equals(held)) {
                        askAll(claim.name());
                    }
                });
    }

    private boolean release(Session session, Claim claim, @Nullable PendingClaim waiting) throws SQLException {
        boolean isUnsure = unsure.has(claim.id());
        boolean held;
        if (waiting != null && !waiting.wasGranted() && !isUnsure) {
            held = withdraw(session, claim, waiting);
        } else {
            Shares.Tombstone tombstone = isUnsure ? Shares.Tombstone.ALWAYS : Shares.Tombstone.UNLESS_HELD;
            held = (!isUnsure && isWhole(claim) && update(session, sql.release, claim))
                    || shares.release(session, claim, tombstone);
        }
        unsure.remove(claim.id());
        return held;
    }

    /** Removes what a claim that waits has left in the row. It may have been handed the name just now. */
    private boolean withdraw(Session session, Claim claim, PendingClaim waiting) throws SQLException {
        if (sql.tell != null) {
            return shares.release(session, claim, Shares.Tombstone.NEVER);
        }
        if (waiting.hasReserved()) {
            update(session, sql.unreserve, claim);
        }
        return false;
    }

    private boolean update(Session session, String statement, Claim claim) throws SQLException {
        PreparedStatement update = session.prepare(statement);
        dialect.setName(update, 1, claim.name());
        update.setString(2, claim.id().toString());
        return session.alone(same -> isOne(update));
    }

    /** Whether a statement that answers with rows or with a count of them was about one. */
    private static boolean isOne(PreparedStatement statement) throws SQLException {
        if (statement.execute()) {
            try (ResultSet rows = statement.getResultSet()) {
                return rows.next();
            }
        }
        return statement.getUpdateCount() == 1;
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return lanes.call(session -> new LeaseInspection(session, sql, dialect).of(filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return lanes.call(name, session -> shares.revoke(session, name, token)).whenComplete((done, failure) -> {
            if (Boolean.TRUE.equals(done)) {
                askAll(name);
            }
        });
    }

    /** Where waiters are not notified, those of this process need not wait for their next poll. */
    private void askAll(String name) {
        Set<PendingClaim> waiting = pendingByName.get(name);
        if (listening == null && waiting != null) {
            waiting.forEach(PendingClaim::ask);
        }
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    /** A notification for one of all the processes. */
    void heard(Handover handover, Moment received) {
        PendingClaim waiting = pending.get(handover.claim());
        if (waiting == null) {
            return;
        }
        if (handover.grant() == null) {
            waiting.ask();
        } else {
            waiting.handedOver(handover.grant(), received);
        }
    }

    /** Notifications may have been lost, and the database may be another one. */
    void resumed() {
        pending.values().forEach(waiting -> {
            waiting.forgetClock();
            waiting.poll();
        });
    }

    @Override
    public void close() {
        sweeping.close();
        pending.values().forEach(waiting -> waiting.withdraw(new IllegalStateException("The store was closed.")));
        if (listening != null) {
            listening.close();
        }
        lanes.close();
        if (lanes.areEnded()) {
            source.close();
        }
    }

    static boolean isWhole(Claim claim) {
        return claim.units() == claim.capacity();
    }

    static int tokens(Claim claim) {
        return Math.min(claim.tokens(), LARGEST_BLOCK);
    }

    static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }

    static Duration micros(long micros) {
        return Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    static RuntimeException tooLate(Claim claim) {
        return new TooLate("Claim " + claim.id() + " was released before this request came.");
    }

    /** The claim was released before its request came. */
    static final class TooLate extends IllegalStateException {

        private static final long serialVersionUID = 1L;

        TooLate(String message) {
            super(message);
        }
    }
}
