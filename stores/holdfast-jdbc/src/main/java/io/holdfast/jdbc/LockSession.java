package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection that acquires locks, for one claim at a time. It executes one statement after the other; {@link #cancel()} and
 * {@link #discard()} may be called by any thread.
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
    private volatile long usedAt;
    private long id;
    private int claims;
    private Duration lease = Duration.ZERO;
    private int limit;
    private volatile @Nullable Held held;

    LockSession(Source source, SessionDialect dialect, Ticker ticker, Duration timeout) {
        this.source = source;
        this.dialect = dialect;
        this.ticker = ticker;
        this.timeout = timeout;
    }

    /** The lock that a session has. */
    record Held(Claim claim, SessionDialect.Tokens tokens, Moment from, Duration lease) {

        Grant grant() {
            return new Grant(claim, tokens.first(), (int) (tokens.last() - tokens.first() + 1), from, lease);
        }

        /** When the server may end the session, on the monotonic clock. */
        long endNanos() {
            return from.nanos() + lease.toNanos();
        }
    }

    @Nullable
    Held held() {
        return held;
    }

    /** Whether it has worked for another claim before: what has ended it may have nothing to do with the present one. */
    boolean isReused() {
        return claims > 1;
    }

    boolean isUseless() {
        return useless;
    }

    /** Before the server ends it for being idle. */
    boolean isFresh(long longestIdle) {
        long idle = ticker.nanos() - usedAt;
        return !useless && idle < longestIdle && idle < lease.toNanos() / 2;
    }

    /** Acquires the lock for the claim, and waits for it if the claim does, for as long as it is wanted. */
    Optional<Grant> acquire(Claim claim, BooleanSupplier wanted) throws SQLException {
        boolean waits = claim.mode() == Claim.Mode.WAIT;
        claims++;
        Optional<Grant> grant = Optional.empty();
        if (wanted.getAsBoolean()) {
            grant = using(timeout, claim.lease(), open -> {
                Moment sent = ticker.now();
                return granted(open, claim, dialect.tryLock(open, claim, this::runs), sent);
            });
        }
        while (grant.isEmpty() && waits && wanted.getAsBoolean()) {
            grant = using(timeout.plus(SessionDialect.LONGEST_WAIT), claim.lease(), open -> {
                Moment sent = ticker.now();
                return granted(open, claim, dialect.waitForLock(open, claim, this::runs), sent);
            });
        }
        return grant;
    }

    private void runs(Statement statement) throws SQLException {
        running = statement;
        // The session may have been opened for this, and the claim withdrawn meanwhile.
        checkUsable();
    }

    /** The lease counts from the request; but not from one that has waited, of which too little may be left. */
    private Optional<Grant> granted(Session open, Claim claim, Optional<SessionDialect.Tokens> tokens, Moment sent)
            throws SQLException {
        if (tokens.isEmpty()) {
            return Optional.empty();
        }
        boolean waited = ticker.nanos() - sent.nanos() > claim.lease().toNanos() / 4;
        Moment from = waited ? ticker.now() : sent;
        long answering = waited ? dialect.id(open) : tokens.get().session();
        if (answering != id) {
            throw new SQLException("Session " + id + " was opened for the lock, but session " + answering
                    + " has answered: a pooler or a driver swaps sessions.");
        }
        Held now = new Held(claim, tokens.get(), from, claim.lease());
        held = now;
        return Optional.of(now.grant());
    }

    /** Releases the lock; whether the session had it. A session that does not answer in time is closed. */
    boolean unlock() throws SQLException {
        if (!isMineWithin(timeout)) {
            discard();
            throw new SQLException("The session did not answer for " + timeout + " and was closed.");
        }
        try {
            return using(timeout, lease, open -> {
                Held had = held;
                held = null;
                return had != null && dialect.unlock(open, had.claim());
            });
        } finally {
            use.unlock();
        }
    }

    /**
     * Checks that the session has not ended, and with it the lock for that claim; it may have the lock for another one by now. A
     * session that does not answer before the lease ends is closed.
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
        if (dialect.id(open) != id) {
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
     * Interrupts the statement that waits. The session takes no more locks after that, because the server may get the request
     * late and interrupt another statement, or too early and interrupt nothing: then {@link #discard()} ends the wait.
     */
    void cancel() {
        retire();
        Statement waiting = running;
        if (waiting != null) {
            try {
                waiting.cancel();
            } catch (SQLException failure) {
                LOG.log(System.Logger.Level.DEBUG, "A wait could not be cancelled; its connection is closed", failure);
                discard();
            }
        }
    }

    /** From now on it takes no more locks. */
    void retire() {
        useless = true;
    }

    /** Ends the session, and with it the lock that it has. */
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

    private <T> T using(Duration longest, Duration wanted, Session.Work<T> work) throws SQLException {
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
            limit(open, longest);
            return work.on(open);
        } catch (SQLException | RuntimeException failure) {
            useless = true;
            throw failure;
        } finally {
            running = null;
            usedAt = ticker.nanos();
            use.unlock();
        }
    }

    private void checkUsable() throws SQLException {
        if (useless) {
            throw new SQLException("The session is closed.");
        }
    }

    private void limit(Session open, Duration longest) throws SQLException {
        int millis = (int) Math.min(TimeUnit.HOURS.toMillis(1), longest.toMillis() + 1);
        if (millis != limit) {
            open.connection().setNetworkTimeout(Runnable::run, millis);
            limit = millis;
        }
    }
}
