package io.holdfast.jdbc.internal.session;

import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.StoreClosedException;
import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.RateLimitedLog;
import io.holdfast.spi.support.RecentClaims;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The store that uses locks of database sessions: a dedicated connection for every name that this process holds or waits for.
 */
public final class SessionLockStore implements LockStore {

    /*
     * Exclusion. The database grants a lock to one session, and keeps it for that session until the session releases it or
     * ends. From its first request to its end a claim has a session for itself, and is released on that session or with it: a
     * session about which there is any doubt is closed and never used again. So a claim that failed in the middle leaves no
     * lock but that of a session which the database ends: at once if it sees the connection close, else when the session has
     * been idle for the length of the lease. That idle-session timeout is set before the session requests the lock.
     *
     * Leases. With each statement on the session, the idle-session timeout of the database begins anew, at the end of the statement;
     * the holder counts its lease from before the last answered one was sent, so the lease expires first. A lock ends only with its
     * session, or by a statement of this class; so a renewal checks that the session is still the same one, for a proxy may have put
     * another in its place.
     *
     * Forced release ends the session that has the lock. It acquires another lock of the database first, the guard of the name, which
     * a release acquires, too. So a session that is ended for a lock cannot have released it, and have another one by then; and a
     * release and a forced release do not both report that they have ended the same lease.
     *
     * Tokens come from a row, which a session writes when it has the lock and before the claim is granted. So they grow in the
     * order of the grants. A token is never behind the clock of the database. On PostgreSQL the row need not be durable: a crash
     * ends all sessions, so nothing is held by a token that is forgotten, and the next one comes from the clock, which has advanced.
     * What remains: if the database crashes (or fails over to a replica without the last rows) AND its clock is behind
     * what it was, tokens of the last moments can be repeated. On MariaDB and MySQL the row is as durable as any commit.
     *
     * Succession. A claim for a name that this process holds exclusively waits until that is released, and continues with its
     * session: so there is one connection for a name, except where readers share it. It may be acquired before the release is
     * answered. If the predecessor loses its lock, or shares it, the successor requests it from the database itself.
     */
    private static final System.Logger LOG = StoreLog.LOGGER;

    private final Environment environment;
    private final SessionDialect dialect;
    private final StoreSettings settings;
    private final Capabilities capabilities;
    private final SessionThreads threads;
    private final SessionPool pool;
    private final SessionClaims claims = new SessionClaims();
    private final SessionAcquirer acquirer;
    private final SessionRenewals renewals;
    private final ConnectionWorkers workers;
    private final RowSweeper sweeper;
    private final RecentClaims releasedClaims;

    /**
     * A store on tables that are there.
     *
     * @param executor has a thread for each session at work; the store shuts it down
     * @param workers execute what needs no session lock
     */
    public SessionLockStore(
            ConnectionSource source,
            Environment environment,
            SessionDialect dialect,
            StoreSettings settings,
            ExecutorService executor,
            ConnectionWorkers workers) {
        this.environment = environment;
        this.dialect = dialect;
        this.settings = settings;
        this.capabilities =
                new Capabilities(source.name(), Capabilities.Queue.NONE, dialect.sharing, Capabilities.Expiry.SESSION);
        this.threads = new SessionThreads(executor);
        this.workers = workers;
        this.releasedClaims = new RecentClaims(environment.ticker());
        RateLimitedLog warnings = RateLimitedLog.ofStore(LOG, source.name(), environment.ticker());
        this.pool = new SessionPool(
                environment,
                work -> threads.execute(work, noThread -> work.run()),
                settings.connections(),
                () -> new LockSession(source, dialect, environment.ticker(), settings.timeout()));
        this.acquirer = new SessionAcquirer(claims, pool, threads, environment.scheduler(), warnings);
        this.renewals = new SessionRenewals(claims, acquirer, threads, settings.timeout(), warnings);
        this.sweeper = new RowSweeper(
                source.name(), environment, workers, dialect.dialect, dialect.sweep(settings.retention()));
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        sweeper.startNear(claim.name());
        SessionClaim pending = new SessionClaim(claim);
        CompletableFuture<Optional<Grant>> answer = claims.locked(() -> addOrAnswer(pending));
        if (answer != null) {
            return answer;
        }
        acquirer.start(pending);
        return pending.answer;
    }

    /** Under the mutex. Adds the claim. Returns its answer, unless the caller has to acquire the lock for it. */
    private @Nullable CompletableFuture<Optional<Grant>> addOrAnswer(SessionClaim pending) {
        Claim claim = pending.claim;
        boolean waits = claim.mode() == Claim.Mode.WAIT;
        SessionClaim same = claims.find(claim.id());
        Grant held = same == null ? null : same.held();
        if (held != null) {
            return CompletableFuture.completedFuture(Optional.of(held));
        } else if (same != null && !same.granted) {
            return same.answer;
        } else if (same != null) {
            acquirer.markLost(same);
        }
        if (claims.isClosed() || releasedClaims.has(claim.id())) {
            return CompletableFuture.failedFuture(
                    claims.isClosed() ? new StoreClosedException() : new StaleRequestException(claim));
        }
        SessionClaim leader = claims.leader(claim.name());
        boolean follows = leader != null && leader.successor == null && (waits || leader.released);
        if (leader != null && leader.exclusive && !waits && !follows) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        claims.add(pending);
        if (leader != null && follows) {
            leader.successor = pending;
            return pending.answer;
        }
        return null;
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> requests) {
        return renewals.renew(requests);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        SessionClaim holder = claims.locked(() -> {
            SessionClaim known = claims.find(claim.id());
            if (known == null || !known.granted) {
                releasedClaims.add(claim.id());
                if (known == null) {
                    answer.complete(false);
                } else {
                    var unused = withdraw(known).thenAccept(answer::complete);
                }
                return null;
            }
            acquirer.removeHolder(known);
            claims.leadUnlessThereIsOne(known);
            return known;
        });
        if (holder != null) {
            threads.execute(() -> unlock(holder, answer), noThread -> {
                SessionClaim next = claims.locked(() -> claims.removeSuccessor(holder));
                if (next != null) {
                    acquirer.fail(next, noThread);
                }
                unlock(holder, answer);
            });
        }
        return answer;
    }

    private void unlock(SessionClaim holder, CompletableFuture<Boolean> answer) {
        LockSession session = Objects.requireNonNull(holder.session);
        Runnable completion = unlock(session, answer);
        SessionClaim next = claims.locked(() -> {
            SessionClaim successor = claims.removeSuccessor(holder);
            if (successor == null) {
                // In the same step, or a claim that comes in between would open another session.
                pool.release(session);
            }
            return successor;
        });
        // Not before: a claim that follows the answer may need the session.
        if (next == null) {
            completion.run();
        } else {
            // What follows the answer may wait for the next claim.
            threads.execute(completion, noThread -> completion.run());
            acquirer.acquireOn(next, session);
        }
    }

    /** Returns what answers the release. */
    private static Runnable unlock(LockSession session, CompletableFuture<Boolean> answer) {
        try {
            boolean held = session.unlock();
            return () -> answer.complete(held);
        } catch (SQLException | RuntimeException | Error failure) {
            return () -> answer.completeExceptionally(failure);
        }
    }

    /** Under the mutex. */
    private CompletableFuture<Boolean> withdraw(SessionClaim pending) {
        pending.released = true;
        LockSession session = pending.session;
        SessionClaim leader = claims.leader(pending.claim.name());
        if (leader != null && leader.successor == pending) {
            leader.successor = null;
            acquirer.fail(pending, new StaleRequestException(pending.claim));
        } else if (session != null) {
            // At once, for when the server gets the request to cancel, the session may work for another claim.
            session.retire();
            if (!claims.isClosed()) {
                environment
                        .scheduler()
                        .schedule(() -> abortWait(pending), settings.timeout().toNanos());
            }
            threads.execute(session::cancel, noThread -> session.discard());
        }
        return pending.answer.handle((grant, failure) -> false);
    }

    /** Closes the session of a wait that was cancelled to no effect. */
    private void abortWait(SessionClaim pending) {
        claims.locked(() -> {
            if (pending.session != null && !pending.answer.isDone()) {
                pool.discard(pending.session);
            }
        });
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return workers.call(session -> dialect.inspect(session, filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return workers.call(name, session -> dialect.revoke(session, name, token, settings.timeout()))
                .thenApply(revoked -> {
                    if (revoked) {
                        claims.locked(() -> claims.all().stream()
                                .filter(holder -> holder.hasToken(name, token))
                                .forEach(acquirer::markLost));
                    }
                    return revoked;
                });
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public void close() {
        List<SessionClaim> pending = new ArrayList<>();
        claims.locked(() -> {
            claims.close();
            for (SessionClaim each : claims.all()) {
                LockSession session = each.session;
                if (each.granted && session != null) {
                    // Its critical section may still run: it stays open until the database would end it, too.
                    CompletableFuture.delayedExecutor(Math.max(0, session.remainingNanos()), TimeUnit.NANOSECONDS)
                            .execute(session::discard);
                } else {
                    pending.add(each);
                    var unused = withdraw(each);
                }
            }
        });
        sweeper.close();
        workers.close();
        pool.close();
        CompletableFuture.allOf(pending.stream().map(each -> each.answer).toArray(CompletableFuture[]::new))
                .handle((done, failure) -> true)
                .completeOnTimeout(false, settings.timeout().toNanos(), TimeUnit.NANOSECONDS)
                .join();
        pending.forEach(each -> {
            abortWait(each);
            each.answer.completeExceptionally(new StoreClosedException());
        });
        threads.close();
    }
}
