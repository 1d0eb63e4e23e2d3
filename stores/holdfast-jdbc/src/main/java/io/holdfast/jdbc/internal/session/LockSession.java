package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A database session that acquires locks, for one claim at a time. It executes one statement after the other; {@link #cancel()} and
 * {@link #discard()} may be called by any thread.
 */
public final class LockSession {

    private static final System.Logger LOG = StoreLog.LOGGER;

    private final ConnectionSource source;
    private final SessionDialect dialect;
    private final Ticker ticker;
    private final Duration timeout;
    private final ReentrantLock inUse = new ReentrantLock();

    private volatile @Nullable Session session;
    private volatile @Nullable Statement running;
    private volatile boolean retired;
    private volatile @Nullable Grant held;
    private volatile Duration lease = Duration.ZERO;
    private volatile long usedAt;
    private long id;

    public LockSession(ConnectionSource source, SessionDialect dialect, Ticker ticker, Duration timeout) {
        this.source = source;
        this.dialect = dialect;
        this.ticker = ticker;
        this.timeout = timeout;
    }

    /** The lock that it holds, as of the last renewal. */
    @Nullable
    Grant held() {
        return held;
    }

    /** When the lease expires, from now; not positive if it has expired. Until then the server does not end the session. */
    long remainingNanos() {
        return remainingNanos(held);
    }

    private long remainingNanos(@Nullable Grant grant) {
        return grant == null ? 0 : grant.countsFrom().nanos() + grant.lease().toNanos() - ticker.nanos();
    }

    /** Whether it was opened before. */
    boolean wasOpened() {
        return session != null;
    }

    /** Whether it is usable, and its idle-session timeout has not passed. */
    boolean isFresh(long longestIdle) {
        long idle = ticker.nanos() - usedAt;
        return !retired && idle < longestIdle && idle < lease.toNanos() / 2;
    }

    /** From now on it acquires no more locks. */
    void retire() {
        retired = true;
    }

    boolean isRetired() {
        return retired;
    }

    /** Acquires the lock for the claim, and waits for it if the claim does, until the session is retired. */
    public Optional<Grant> acquire(Claim claim) throws SQLException {
        Optional<Grant> grant = lock(claim, false);
        while (grant.isEmpty() && claim.mode() == Claim.Mode.WAIT) {
            grant = lock(claim, true);
        }
        return grant;
    }

    private Optional<Grant> lock(Claim claim, boolean waits) throws SQLException {
        return using(waits ? timeout.plus(SessionDialect.MAX_WAIT) : timeout, claim.lease(), open -> {
            Moment sent = ticker.now();
            Optional<SessionDialect.Tokens> tokens = waits
                    ? dialect.waitForLock(open, claim, this::executing)
                    : dialect.tryLock(open, claim, this::executing);
            if (tokens.isEmpty()) {
                return Optional.empty();
            }
            Grant grant = granted(open, claim, tokens.get(), sent);
            held = grant;
            return Optional.of(grant);
        });
    }

    private void executing(Statement statement) throws SQLException {
        running = statement;
        // The session may have been opened for this claim, and the claim withdrawn meanwhile.
        checkUsable();
    }

    /** The lease counts from the request; but not from one that has waited, because too little of the lease may remain. */
    private Grant granted(Session open, Claim claim, SessionDialect.Tokens tokens, Moment sent) throws SQLException {
        boolean waited = ticker.nanos() - sent.nanos() > claim.lease().toNanos() / 4;
        Moment from = waited ? ticker.now() : sent;
        long answering = waited ? dialect.dialect.id(open.connection()) : tokens.session();
        if (answering != id) {
            throw new SQLException(
                    "Session " + id + " was opened for the lock of '" + claim.name() + "', but session " + answering
                            + " has answered, so the lock is not safe: a pooler or a driver uses another session. Connect to the server itself.");
        }
        return new Grant(claim, tokens.first(), (int) (tokens.last() - tokens.first() + 1), from, claim.lease());
    }

    /**
     * Releases the lock; whether the session held it. A failure means that it did not, if the lease had expired before the request was sent, or
     * if the server reports that it has ended the session. Otherwise the outcome is unknown.
     */
    public boolean unlock() throws SQLException {
        AtomicBoolean over = new AtomicBoolean(remainingNanos() <= 0);
        try {
            return using(timeout, lease, open -> {
                Grant last = held;
                over.set(remainingNanos(last) <= 0);
                held = null;
                if (last == null) {
                    return false;
                }
                boolean had = dialect.unlock(open, last.claim());
                // Else this is another session than the one that acquired the lock.
                retired = retired || !had;
                return had;
            });
        } catch (SQLException failure) {
            if (over.get() || SessionDialect.isEndByServer(failure)) {
                return false;
            }
            throw failure;
        }
    }

    /**
     * Checks that the session has not ended, and with it the lock for that claim; it may hold the lock for another claim by now. A session that
     * does not respond before the lease expires is closed.
     */
    public RenewalRequest.Outcome renew(RenewalRequest renewal) throws SQLException {
        if (!inUse.tryLock()) {
            return RenewalRequest.Outcome.UNKNOWN;
        }
        try {
            Grant had = held;
            long remainingNanos = remainingNanos(had);
            if (had == null
                    || remainingNanos <= 0
                    || !had.claim().id().equals(renewal.claim().id())) {
                return RenewalRequest.Outcome.GONE;
            }
            Duration longest = lease.compareTo(renewal.lease()) < 0 ? renewal.lease() : lease;
            return using(Duration.ofNanos(remainingNanos).plusMillis(1), longest, open -> renew(open, had, renewal));
        } finally {
            inUse.unlock();
        }
    }

    private RenewalRequest.Outcome renew(Session open, Grant had, RenewalRequest renewal) throws SQLException {
        Moment sent = ticker.now();
        Duration remainingNanos = Duration.ofNanos(remainingNanos(had));
        if (dialect.dialect.id(open.connection()) != id) {
            return RenewalRequest.Outcome.GONE;
        }
        Claim kept = had.claim();
        if (renewal.claim().units() < kept.units()) {
            kept = kept.withUnits(renewal.claim().units());
            dialect.downgrade(open, kept);
        }
        Duration longer = renewal.lease().compareTo(remainingNanos) < 0 ? remainingNanos : renewal.lease();
        held = new Grant(kept, had.firstToken(), had.tokens(), sent, longer);
        return RenewalRequest.Outcome.KEPT;
    }

    /**
     * Cancels the statement that waits, on a session that is retired: the server may receive the request late and cancel another statement, or
     * too early and cancel nothing. Then {@link #discard()} ends the wait.
     */
    void cancel() {
        Statement waiting = running;
        if (waiting != null) {
            try {
                waiting.cancel();
            } catch (SQLException failure) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "A wait for a lock could not be cancelled; its connection is closed",
                        failure);
                discard();
            }
        }
    }

    /** Ends the session, and with it the lock that it holds. */
    public void discard() {
        retired = true;
        held = null;
        Session open = session;
        if (open != null) {
            if (inUse.tryLock()) {
                try {
                    open.close();
                } finally {
                    inUse.unlock();
                }
            } else {
                open.abort();
            }
        }
    }

    /** Opens the session if it is not open; a failure retires it. A renewal may be using it, for a short time unless the network hangs. */
    private <T> T using(Duration longest, Duration wanted, Session.Work<T> work) throws SQLException {
        boolean mine = false;
        try {
            mine = inUse.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (!mine) {
                throw new SQLException("The session did not respond for " + timeout
                        + " and is closed; the lock that it holds is lost.");
            }
            checkUsable();
            Session open = session;
            if (open == null) {
                open = source.open(timeout);
                session = open;
                id = dialect.dialect.id(open.connection());
            }
            if (!wanted.equals(lease)) {
                limit(open, timeout);
                dialect.setLease(open, wanted);
                lease = wanted;
            }
            limit(open, longest);
            return work.on(open);
        } catch (InterruptedException interrupt) {
            retired = true;
            Thread.currentThread().interrupt();
            throw new SQLException("The thread was interrupted, so the session is closed.", interrupt);
        } catch (SQLException | RuntimeException | Error failure) {
            retired = true;
            throw failure;
        } finally {
            if (mine) {
                running = null;
                usedAt = ticker.nanos();
                inUse.unlock();
            }
        }
    }

    private void checkUsable() throws SQLException {
        if (retired) {
            throw new SQLException("The session is closed.");
        }
    }

    private void limit(Session open, Duration longest) throws SQLException {
        long millis = Math.min(TimeUnit.HOURS.toMillis(1), longest.toMillis() + 1);
        Dialect.limit(open.connection(), (int) millis);
    }
}
