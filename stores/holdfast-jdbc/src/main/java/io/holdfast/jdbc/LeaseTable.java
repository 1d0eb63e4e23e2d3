package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.OwnerText;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Renewal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Leases in a table: one row per name. */
final class LeaseTable implements AttemptStore {

    /*
     * Safety. All that decides about a name is in its row, and every change of the name locks that row: the statements for
     * whole claims by themselves, those for shares in a transaction that locks it first. So changes of a name follow one
     * another, each of them sees what the one before has left, and a name changes hands only
     *   - when its owner gives it back (`claim` is compared in the same statement),
     *   - when its end has passed on the clock of the database, the only one that is looked at, or
     *   - by revoke().
     * "Now" is when the statement began. One that had to wait for the row takes an older time for the present: it sees a
     * lease that has just ended as running, and makes its own end sooner. Both are on the safe side, because the holder
     * counts from before the statement was sent.
     *
     * Tokens. `last_token` grows with every grant, under the same lock, and stays when the name is given back; a row that
     * was swept is made anew at the clock, which is far ahead of its last token.
     *
     * A grant counts when it is committed, on disk. If it were not, a server that crashes could forget it.
     *
     * Ghosts: see `Asked`.
     *
     * No order between processes: whoever asks at the right moment. But one who has waited for some time puts its claim into
     * the row as the next, and for a while nobody else is served. That is a courtesy, and nothing rests on it: it ends by
     * itself, so one who dies there holds nobody up for long.
     */
    /** For how long a word that somebody waits is good: longer than until the waiter asks again. */
    static final long AWAITED_MICROS = 3_000_000;

    private static final int LARGEST_BLOCK = 64;
    private static final long SHORTEST_POLL = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_POLL = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long FALLBACK = TimeUnit.SECONDS.toNanos(1);
    private static final long RESERVED_MICROS = 300_000;
    private static final long SHORTEST_RENEWAL = 250;

    private final Source source;
    private final Environment environment;
    private final Dialect dialect;
    private final LeaseSql sql;
    private final Lanes lanes;
    private final Shares shares;
    private final Asked asked;
    private final Capabilities capabilities;
    private final @Nullable Listening listening;
    private final Sweeping sweeping;
    private volatile Consumer<String> freed = name -> {};

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
        this.shares = new Shares(sql, dialect, environment.ticker());
        this.asked = new Asked(environment.ticker());
        this.capabilities = new Capabilities(name, Capabilities.Queue.NONE, Capabilities.Sharing.UNITS);
        this.listening = pushes == null
                ? null
                : new Listening(name, pushes, sql.channel(), settings.timeout(), environment, this);
        this.sweeping = new Sweeping(name, environment, lanes, settings.retention(), sql.sweep(settings.retention()));
    }

    @Override
    public CompletableFuture<Attempt> attempt(Claim claim) {
        CompletableFuture<Attempt> attempted = lanes.call(claim.name(), session -> {
            try {
                return attempt(session, claim);
            } catch (TooLate answer) {
                throw answer;
            } catch (RefusedException answer) {
                // Nobody releases a claim that was refused.
                if (asked.of(claim.id()) != null) {
                    release(session, claim);
                }
                throw answer;
            } catch (SQLException | RuntimeException | Error failure) {
                if (!(failure instanceof SQLException known
                        && (dialect.isCollision(known) || dialect.explained(known) instanceof SqliteFile.Unusable))) {
                    asked.unanswered(claim);
                }
                throw failure;
            }
        });
        return attempted.exceptionally(failure -> {
            throw refusal(claim, failure);
        });
    }

    /** What will fail the same way again is a refusal, unless an earlier request of the claim may have been executed. */
    private CompletionException refusal(Claim claim, Throwable failure) {
        Throwable explained = failure instanceof SQLException known ? dialect.explained(known) : failure;
        Asked.State state = asked.of(claim.id());
        if (!(explained instanceof SqliteFile.Unusable) || (state != null && state.unsure())) {
            return new CompletionException(explained);
        }
        // Nobody releases a claim that was refused.
        asked.forget(claim.id());
        RefusedException refused = new RefusedException(String.valueOf(explained.getMessage()));
        refused.initCause(explained);
        return new CompletionException(refused);
    }

    private Attempt attempt(Session session, Claim claim) throws SQLException {
        Attempt attempt = isWhole(claim) ? takeAll(session, claim) : shares.take(session, claim);
        if (attempt instanceof Attempt.Busy busy && claim.mode() == Claim.Mode.WAIT) {
            return new Attempt.Busy(refused(session, claim, busy.retryAfter()));
        }
        if (attempt instanceof Attempt.Granted) {
            asked.granted(claim.id());
        }
        return attempt;
    }

    private Attempt takeAll(Session session, Claim claim) throws SQLException {
        boolean again = asked.of(claim.id()) != null;
        Moment sent = environment.ticker().now();
        LeaseRow row = null;
        if (again && listening == null) {
            // Looking locks and writes nothing, so those who wait are not in the way of those who work.
            row = look(session, claim.name());
        }
        if (row == null || row.isFreeFor(claim)) {
            sent = environment.ticker().now();
            row = take(session, claim);
        }
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
        return new Attempt.Busy(micros(Math.max(row.left(), row.isInUse() ? 0 : row.nextUntil() - row.now())));
    }

    private LeaseRow take(Session session, Claim claim) throws SQLException {
        PreparedStatement statement = session.prepare(sql.take);
        dialect.setName(statement, 1, claim.name());
        statement.setInt(2, claim.capacity());
        statement.setString(3, claim.id().toString());
        statement.setLong(4, tokens(claim));
        statement.setLong(5, micros(claim.lease()));
        statement.setString(6, OwnerText.of(claim.owner()));
        statement.setLong(7, claim.mode() == Claim.Mode.WAIT ? AWAITED_MICROS : 0);
        LeaseRow row = null;
        if (dialect.takeAnswers()) {
            try (ResultSet rows = Dialect.rows(statement)) {
                row = rows.next() ? LeaseRow.of(rows) : null;
                // To its end: SQLite answers first and commits then, and tells by the next step that it could not.
                if (row != null && rows.next()) {
                    throw new SQLException("Two rows for '" + claim.name() + "'.");
                }
            }
        } else {
            statement.executeUpdate();
        }
        row = row == null ? look(session, claim.name()) : row;
        if (row == null) {
            throw new SQLException("The row of '" + claim.name() + "' was removed just now.", "40001");
        }
        return row;
    }

    private @Nullable LeaseRow look(Session session, String name) throws SQLException {
        return LockedName.read(session, sql.look, dialect, name);
    }

    /** Sees to it that the claim has its turn some time, and says when to ask again. */
    private Duration refused(Session session, Claim claim, Duration untilFree) throws SQLException {
        Asked.State state = asked.refused(claim);
        if (listening != null) {
            listening.begin();
        }
        long waited = environment.ticker().nanos() - state.since();
        if (waited > dialect.patience().toNanos()
                && state.mayReserve(environment.ticker().nanos())) {
            reserve(session, claim);
        }
        double jitter = 0.75 + 0.25 * environment.random().getAsDouble();
        long poll = listening != null ? FALLBACK : Math.max(SHORTEST_POLL, Math.min(LONGEST_POLL, waited / 8));
        long nanos = Math.min((long) (poll * jitter), Math.max(SHORTEST_POLL, untilFree.toNanos()));
        return Duration.ofNanos(nanos);
    }

    /** Puts the claim into the row as the next; again when half of that time is over, and sooner if another one is the next. */
    private void reserve(Session session, Claim claim) throws SQLException {
        long time = listening == null ? RESERVED_MICROS : 2 * TimeUnit.NANOSECONDS.toMicros(FALLBACK);
        long half = TimeUnit.MICROSECONDS.toNanos(time) / 2;
        asked.reserves(claim, environment.ticker().nanos() + half);
        PreparedStatement reserve = session.prepare(sql.reserve);
        reserve.setString(1, claim.id().toString());
        reserve.setLong(2, time);
        dialect.setName(reserve, 3, claim.name());
        reserve.setString(4, claim.id().toString());
        if (reserve.executeUpdate() == 0) {
            long soon = Math.min(half, dialect.patience().toNanos());
            asked.reserves(claim, environment.ticker().nanos() + soon);
        }
    }

    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        return lanes.call(session -> {
            int before = dialect.limitOf(session.connection());
            dialect.limit(session.connection(), limit(renewals, before));
            List<Renewal.Outcome> outcomes;
            try {
                outcomes = new RenewalBatch(session, sql, dialect, shares).renew(renewals);
            } catch (SQLException failure) {
                unlimit(session, before, failure);
                throw failure;
            }
            dialect.limit(session.connection(), before);
            return outcomes;
        });
    }

    private void unlimit(Session session, int before, SQLException failure) {
        try {
            dialect.limit(session.connection(), before);
        } catch (SQLException alsoThat) {
            failure.addSuppressed(alsoThat);
        }
    }

    /** If the connection has gone silent, there must be time for another before the leases are over. */
    private static int limit(List<Renewal> renewals, int longest) {
        long third = renewals.stream()
                .mapToLong(renewal -> renewal.lease().toMillis() / 3)
                .min()
                .orElse(longest);
        return (int) Math.min(longest, Math.max(SHORTEST_RENEWAL, third));
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
        return shorten.executeUpdate() == 1;
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return lanes.call(claim.name(), session -> release(session, claim)).whenComplete((held, failure) -> {
            if (Boolean.TRUE.equals(held)) {
                freed.accept(claim.name());
            }
        });
    }

    private boolean release(Session session, Claim claim) throws SQLException {
        Asked.State state = asked.of(claim.id());
        boolean held = false;
        if (state != null && !state.unsure()) {
            if (state.reserves() && update(session, sql.unreserve, claim)) {
                tell(session, claim.name());
            }
        } else {
            held = (state == null && isWhole(claim) && update(session, sql.release, claim))
                    || shares.release(session, claim, state != null);
        }
        asked.forget(claim.id());
        return held;
    }

    private boolean update(Session session, String statement, Claim claim) throws SQLException {
        PreparedStatement update = session.prepare(statement);
        dialect.setName(update, 1, claim.name());
        update.setString(2, claim.id().toString());
        return isOne(update);
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

    /** Wakes those who wait in other processes. */
    private void tell(Session session, String name) throws SQLException {
        if (sql.tell != null) {
            PreparedStatement tell = session.prepare(sql.tell);
            dialect.setName(tell, 1, name);
            tell.execute();
        }
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return lanes.call(session -> new LeaseInspection(session, sql, dialect).of(filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return lanes.call(name, session -> revoke(session, name, token)).whenComplete((done, failure) -> {
            if (Boolean.TRUE.equals(done)) {
                freed.accept(name);
            }
        });
    }

    private boolean revoke(Session session, String name, long token) throws SQLException {
        boolean done = session.inTransaction(same -> {
            PreparedStatement revoke = same.prepare(sql.revoke);
            dialect.setName(revoke, 1, name);
            revoke.setLong(2, token);
            revoke.setLong(3, token);
            boolean revoked = revoke.executeUpdate() == 1;
            if (revoked) {
                tell(same, name);
            }
            return revoked;
        });
        return done || shares.revoke(session, name, token);
    }

    @Override
    public @Nullable String objection() {
        return source.objection();
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public void onHint(Consumer<String> consumer) {
        freed = consumer;
    }

    /** The name may have become free. */
    void heard(String name) {
        freed.accept(name);
    }

    /** Words may have been missed. */
    void resumed() {
        asked.all().forEach(state -> freed.accept(state.claim().name()));
    }

    @Override
    public void close() {
        sweeping.close();
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
