package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.StoreClosedException;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.support.RateLimitedLog;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Acquires session locks for claims, each on a session of its own, and ends the claims whose sessions have ended. */
final class SessionAcquirer {

    private final SessionClaims claims;
    private final SessionPool pool;
    private final SessionThreads threads;
    private final Scheduler scheduler;
    private final RateLimitedLog warnings;

    SessionAcquirer(
            SessionClaims claims,
            SessionPool pool,
            SessionThreads threads,
            Scheduler scheduler,
            RateLimitedLog warnings) {
        this.claims = claims;
        this.pool = pool;
        this.threads = threads;
        this.scheduler = scheduler;
        this.warnings = warnings;
    }

    /** Acquires the lock for the claim on another thread. */
    void start(SessionClaim pending) {
        threads.execute(() -> acquireOn(pending, null), noThread -> fail(pending, noThread));
    }

    void fail(SessionClaim pending, Throwable failure) {
        claims.locked(() -> {
            claims.remove(pending);
            Throwable reason = claims.isClosed() ? new StoreClosedException() : failure;
            claims.afterUnlock(() -> pending.answer.completeExceptionally(reason));
        });
    }

    /** Acquires the lock for the claim, on that session or another; for a claim that waits, for as long as it takes. */
    void acquireOn(SessionClaim pending, @Nullable LockSession given) {
        LockSession session = given;
        boolean reused = false;
        try {
            session = given == null ? pool.borrow() : given.isRetired() ? pool.replace(given) : given;
            reused = session.wasOpened();
            if (!assign(pending, session)) {
                pool.release(session);
                fail(pending, new StaleRequestException(pending.claim));
                return;
            }
            Optional<Grant> grant = session.acquire(pending.claim);
            complete(pending, grant.isPresent() ? session : null);
            if (grant.isEmpty()) {
                pool.release(session);
            }
            pending.answer.complete(grant);
        } catch (SQLException | RuntimeException | Error failure) {
            // What has ended the session may have nothing to do with this claim.
            if (session != null && reused && SessionDialect.isEnd(failure) && assign(pending, null)) {
                warnings.warn(() -> "Session terminated (" + failure.getMessage() + "); retrying to acquire '"
                        + pending.claim.name() + "' on a new one.");
                acquireOn(pending, pool.replace(session));
                return;
            }
            if (session != null) {
                session.discard();
                pool.release(session);
            }
            fail(pending, failure);
        }
    }

    /** From now on a withdrawal of the claim cancels the statement of that session. False if it has been withdrawn. */
    private boolean assign(SessionClaim pending, @Nullable LockSession session) {
        return claims.locked(() -> {
            if (!pending.released) {
                pending.session = session;
            }
            return !pending.released;
        });
    }

    /**
     * The claim is granted on that session, or not at all.
     *
     * @throws RuntimeException if it has been withdrawn
     */
    private void complete(SessionClaim pending, @Nullable LockSession session) {
        claims.locked(() -> {
            if (pending.released) {
                throw new StaleRequestException(pending.claim);
            }
            pending.session = session;
            if (session == null) {
                claims.remove(pending);
                return;
            }
            pending.granted = true;
            if (pending.exclusive) {
                SessionClaim before = claims.lead(pending);
                if (before != null) {
                    inheritSuccessor(pending, before);
                }
            }
            scheduleExpiry(pending, session);
        });
    }

    /** The session of the earlier leader has ended, or is releasing the lock: the claim that waits for it waits for this one. */
    private void inheritSuccessor(SessionClaim leader, SessionClaim before) {
        SessionClaim next = before.removeSuccessor();
        if (next == null || next.claim.mode() == Claim.Mode.WAIT) {
            leader.successor = next;
        } else {
            // An attempt that has followed the release does not wait.
            claims.remove(next);
            claims.afterUnlock(() -> next.answer.complete(Optional.empty()));
        }
    }

    /** Under the mutex. When the lease expires, the database may end the session, unless the lease was renewed. */
    private void scheduleExpiry(SessionClaim holder, LockSession session) {
        Runnable check = () -> claims.locked(() -> {
            if (!holder.released && session.remainingNanos() > 0) {
                scheduleExpiry(holder, session);
            } else if (!claims.isClosed()) {
                markLost(holder);
            }
        });
        holder.expiry = scheduler.schedule(check, Math.max(0, session.remainingNanos()));
    }

    /** Under the mutex. The session of the holder has ended, or is ended now; its successor requests the lock on another one. */
    void markLost(SessionClaim holder) {
        if (removeHolder(holder) && holder.session != null) {
            holder.session.retire();
            pool.release(holder.session);
            startSuccessor(holder);
        }
    }

    /** Under the mutex. The claim holds no more; whether it did. */
    boolean removeHolder(SessionClaim holder) {
        holder.released = true;
        if (holder.expiry != null) {
            holder.expiry.cancel();
        }
        return claims.remove(holder);
    }

    /** Under the mutex. The successor of the claim does not wait for it any longer. */
    void startSuccessor(SessionClaim holder) {
        SessionClaim next = claims.removeSuccessor(holder);
        if (next != null) {
            start(next);
        }
    }
}
