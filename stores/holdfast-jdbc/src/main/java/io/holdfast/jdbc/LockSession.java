package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection that takes locks for one claim at a time. Its statements follow one another; {@link #cancel()} and
 * {@link #discard()} may come from any thread.
 */
final class LockSession {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    private final Source source;
    private final SessionDialect dialect;
    private final Ticker ticker;
    private final Duration timeout;
    private final ReentrantLock use = new ReentrantLock();

    private volatile @Nullable Session session;
    private volatile @Nullable Statement running;
    private volatile boolean useless;
    private volatile @Nullable ClaimId first;
    private volatile long usedAt;
    private long id;
    private Duration lease = Duration.ZERO;
    private volatile @Nullable Held held;
    /** What it has given back, if it may still be ended for that: see {@link SessionDialect#settle}. */
    private volatile @Nullable Claim before;

    LockSession(Source source, SessionDialect dialect, Ticker ticker, Duration timeout) {
        this.source = source;
        this.dialect = dialect;
        this.ticker = ticker;
        this.timeout = timeout;
    }

    /** What it has. */
    record Held(Claim claim, SessionDialect.Tokens tokens, Moment from, Duration lease) {

        Grant grant() {
            return new Grant(claim, tokens.first(), (int) (tokens.last() - tokens.first() + 1), from, lease);
        }

        /** When the server may end it, on the monotonic clock. */
        long endNanos() {
            return from.nanos() + lease.toNanos();
        }
    }

    @Nullable
    Held held() {
        return held;
    }

    boolean hasToken(long token) {
        Held had = held;
        return had != null
                && had.tokens().first() <= token
                && token <= had.tokens().last();
    }

    /** Whether it has worked for another claim before: what has ended it may have nothing to do with this one. */
    boolean isReusedFor(Claim claim) {
        ClaimId former = first;
        return former != null && !former.equals(claim.id());
    }

    boolean isUseless() {
        return useless;
    }

    /** Before the server ends it for being idle. */
    boolean isFresh(long longestIdle) {
        long idle = ticker.nanos() - usedAt;
        return !useless && idle < longestIdle && idle < lease.toNanos() / 2;
    }

    /** Waits for the lock, for a while; whether it has it now. */
    boolean lock(Claim claim) throws SQLException {
        boolean waits = claim.mode() == Claim.Mode.WAIT;
        first = first == null ? claim.id() : first;
        settle(claim);
        return using(waits ? SessionDialect.LONGEST_WAIT.plus(timeout) : timeout, claim.lease(), open -> {
            try {
                return dialect.lock(open, claim, statement -> {
                    running = statement;
                    // The session may have been opened for this, and whoever wanted the lock may have gone meanwhile.
                    checkUsable();
                });
            } finally {
                running = null;
            }
        });
    }

    /** It may be about to be ended for what it had before, so it asks for nothing else. */
    static final class Unsettled extends SQLException {

        private static final long serialVersionUID = 1L;

        Unsettled(Claim before, SQLException cause) {
            super(
                    "it may be about to be ended for '" + before.name() + "': " + cause.getMessage(),
                    SessionDialect.KILLED,
                    cause);
        }
    }

    private void settle(Claim claim) throws SQLException {
        Claim had = before;
        // A grant of the same name would wait by itself. Until there is one, it may still be ended for the one before.
        if (had == null || had.name().equals(claim.name())) {
            return;
        }
        try {
            using(timeout, claim.lease(), open -> {
                dialect.settle(open, had);
                return true;
            });
            before = null;
        } catch (SQLException failure) {
            throw new Unsettled(had, failure);
        }
    }

    /** Writes the claim down, for which it has the lock. */
    Grant grant(Claim claim) throws SQLException {
        return using(timeout, claim.lease(), open -> {
            Moment sent = ticker.now();
            SessionDialect.Tokens tokens = dialect.grant(open, claim);
            if (tokens.session() != id) {
                throw new SQLException("Session " + id + " has the lock, but " + tokens.session()
                        + " answers: a pooler or a driver swaps sessions.");
            }
            Held now = new Held(claim, tokens, sent, claim.lease());
            held = now;
            return now.grant();
        });
    }

    /**
     * Gives the lock back; whether it had it. What keeps the session busy too long ends it.
     *
     * @param again whether it takes the same lock again, as far as is known
     */
    boolean unlock(boolean again) throws SQLException {
        if (!isMineWithin(timeout)) {
            discard();
            throw new SQLException("The session did not answer for " + timeout + " and was cut off.");
        }
        try {
            return using(timeout, lease, open -> {
                Held had = held;
                if (had == null) {
                    return false;
                }
                held = null;
                before = again ? had.claim() : null;
                return dialect.unlock(open, had.claim(), again);
            });
        } finally {
            use.unlock();
        }
    }

    /**
     * Asks whether it still has the lock for that claim; by now it may have it for another one. What keeps the session waiting
     * too long ends it.
     */
    Renewal.Outcome renew(Renewal renewal) throws SQLException {
        if (!use.tryLock()) {
            return isFor(renewal.claim()) ? Renewal.Outcome.UNKNOWN : Renewal.Outcome.GONE;
        }
        try {
            Held had = held;
            long left = had == null ? 0 : had.endNanos() - ticker.nanos();
            if (had == null || left <= 0 || !isFor(renewal.claim())) {
                return Renewal.Outcome.GONE;
            }
            Duration longest = lease.compareTo(renewal.lease()) < 0 ? renewal.lease() : lease;
            return using(Duration.ofNanos(left).plusMillis(1), longest, open -> renew(open, had, renewal));
        } finally {
            use.unlock();
        }
    }

    private boolean isFor(Claim claim) {
        Held had = held;
        return had != null && had.claim().id().equals(claim.id());
    }

    private Renewal.Outcome renew(Session open, Held had, Renewal renewal) throws SQLException {
        Moment sent = ticker.now();
        if (!dialect.holds(open, id, had.claim())) {
            return Renewal.Outcome.GONE;
        }
        Claim kept = had.claim();
        if (renewal.claim().units() < kept.units()) {
            kept = kept.withUnits(renewal.claim().units());
            dialect.share(open, kept);
        }
        long left = had.endNanos() - sent.nanos();
        Duration longer = renewal.lease().toNanos() > left ? renewal.lease() : Duration.ofNanos(left);
        held = new Held(kept, had.tokens(), sent, longer);
        return Renewal.Outcome.KEPT;
    }

    /**
     * Interrupts the wait. The session is of no use after that: the word may come late, and hit another statement. It may also
     * come too early, or not be heard; whoever has to be sure uses {@link #discard()} after a while.
     */
    void cancel() {
        retire();
        Statement waiting = running;
        if (waiting != null) {
            try {
                waiting.cancel();
            } catch (SQLException failure) {
                LOG.log(System.Logger.Level.DEBUG, "A wait could not be cancelled; its connection is cut off", failure);
                discard();
            }
        }
    }

    /** From now on it takes no more locks. */
    void retire() {
        useless = true;
    }

    /** Ends the session, and with it whatever it has. */
    void discard() {
        useless = true;
        held = null;
        Session open = session;
        if (open != null) {
            try {
                if (use.tryLock()) {
                    try {
                        open.close();
                    } finally {
                        use.unlock();
                    }
                } else {
                    open.connection().abort(Runnable::run);
                }
            } catch (SQLException failure) {
                LOG.log(System.Logger.Level.DEBUG, "A connection could not be closed", failure);
            }
        }
    }

    private boolean isMineWithin(Duration time) throws SQLException {
        try {
            return use.tryLock(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", interrupt);
        }
    }

    private <T> T using(Duration limit, Duration wanted, Session.Work<T> work) throws SQLException {
        use.lock();
        try {
            checkUsable();
            Session open = session;
            if (open == null) {
                open = source.open(timeout);
                session = open;
                id = dialect.id(open);
            }
            if (wanted.compareTo(lease) != 0) {
                limit(open, timeout);
                dialect.setLease(open, wanted);
                lease = wanted;
            }
            limit(open, limit);
            return work.on(open);
        } catch (SQLException | RuntimeException failure) {
            useless = true;
            throw failure;
        } finally {
            usedAt = ticker.nanos();
            use.unlock();
        }
    }

    private void checkUsable() throws SQLException {
        if (useless) {
            throw new SQLException("The session is of no use any more.");
        }
    }

    private static void limit(Session open, Duration limit) throws SQLException {
        int millis = (int) Math.min(TimeUnit.HOURS.toMillis(1), limit.toMillis() + 1);
        open.connection().setNetworkTimeout(Runnable::run, millis);
    }
}
