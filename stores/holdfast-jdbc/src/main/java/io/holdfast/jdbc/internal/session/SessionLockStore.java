package io.holdfast.jdbc.internal.session;

import io.holdfast.LockInfo;
import io.holdfast.jdbc.internal.Claims;
import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.StoreClosedException;
import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RecentClaims;
import io.holdfast.spi.RenewalRequest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Locks of database sessions: a dedicated connection for every name that this process holds or waits for. */
public final class SessionLockStore implements LockStore {

    /*
     * Exclusion. The database grants a lock to one session, and keeps it for that session until the session releases it or
     * ends. From its first request to its end a claim has a session for itself, and is released on that session or with it: a
     * session about which there is any doubt is closed and never used again. So a claim that failed in the middle leaves no
     * lock but that of a session which the database ends: at once if it sees the connection close, else when the session has
     * been idle for the length of the lease, which is set before the session requests the lock.
     *
     * Leases. Each statement on the session makes the database wait that long anew, from its end; the holder counts from before
     * the last answered one was sent, so its lease ends first. A lock ends only with its session, or by a statement of this class;
     * so a renewal checks that the session is still the same one, for a proxy may have put another in its place.
     *
     * Forced release ends the session that has the lock. It takes another lock of the database first, the guard of the name, which
     * a release takes, too. So a session that is ended for a lock cannot have released it, and have another one by then; and a
     * release and a forced release do not both report that they have ended the same lease.
     *
     * Tokens come from a row, which a session writes when it has the lock and before the claim is granted. So they grow in the
     * order of the grants. A token is never behind the clock of the database. PostgreSQL need not have the row on disk: a crash
     * ends all sessions, so nothing is held by a token that is forgotten, and the next one comes from the clock, which has gone
     * on. What is left: if the database crashes (or fails over to a replica without the last rows) AND its clock is behind
     * what it was, tokens of the last moments can be repeated. On MariaDB and MySQL the row is as durable as any commit.
     *
     * Succession. A claim for a name that this process holds exclusively waits until that is released, and continues with its
     * session: so there is one connection for a name, except where readers share it. It may come before the release. If
     * the predecessor loses its lock, or shares it, the successor requests it from the database itself.
     */
    private static final System.Logger LOG = StoreLog.LOGGER;

    private final Environment environment;
    private final SessionDialect dialect;
    private final StoreSettings settings;
    private final Capabilities capabilities;
    private final ExecutorService executor;
    private final SessionPool pool;
    private final ConnectionWorkers workers;
    private final RowSweeper sweeper;
    private final RecentClaims releasedClaims;
    private final Complaints warnings;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<ClaimId, SessionClaim> claims = new HashMap<>();
    /** By name: the claim that has it exclusively, or is releasing it. */
    private final Map<String, SessionClaim> leaders = new HashMap<>();
    /** What completes answers when the mutex is unlocked: callbacks may wait for a thread that needs it. */
    private final List<Runnable> completions = new ArrayList<>();

    private boolean closed;

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
        this.executor = executor;
        this.workers = workers;
        this.releasedClaims = new RecentClaims(environment.ticker());
        this.warnings = new Complaints(LOG, source.name(), environment.ticker());
        this.pool = new SessionPool(
                environment,
                work -> execute(work, noThread -> work.run()),
                settings.connections(),
                () -> new LockSession(source, dialect, environment.ticker(), settings.timeout()));
        this.sweeper = new RowSweeper(
                source.name(), environment, workers, dialect.dialect, dialect.sweep(settings.retention()));
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        sweeper.startNear(claim.name());
        SessionClaim pending = new SessionClaim(claim);
        boolean waits = claim.mode() == Claim.Mode.WAIT;
        mutex.lock();
        try {
            SessionClaim same = claims.get(claim.id());
            Grant held = same == null ? null : same.held();
            if (held != null) {
                return CompletableFuture.completedFuture(Optional.of(held));
            } else if (same != null && !same.granted) {
                return same.answer;
            } else if (same != null) {
                markLost(same);
            }
            if (closed || releasedClaims.has(claim.id())) {
                return CompletableFuture.failedFuture(
                        closed ? new StoreClosedException() : new StaleRequestException(claim));
            }
            SessionClaim leader = leaders.get(claim.name());
            boolean follows = leader != null && leader.successor == null && (waits || leader.released);
            if (leader != null && leader.exclusive && !waits && !follows) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            claims.put(claim.id(), pending);
            if (leader != null && follows) {
                leader.successor = pending;
                return pending.answer;
            }
        } finally {
            unlockMutex();
        }
        start(pending);
        return pending.answer;
    }

    private void start(SessionClaim pending) {
        execute(() -> acquireOn(pending, null), noThread -> fail(pending, noThread));
    }

    private void execute(Runnable work, Consumer<Throwable> withoutThread) {
        try {
            executor.execute(work);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            withoutThread.accept(noThread);
        }
    }

    private void fail(SessionClaim pending, Throwable failure) {
        locked(() -> {
            claims.remove(pending.claim.id(), pending);
            Throwable reason = closed ? new StoreClosedException() : failure;
            completions.add(() -> pending.answer.completeExceptionally(reason));
        });
    }

    /** Acquires the lock for the claim, on that session or another; for a claim that waits, for as long as it takes. */
    private void acquireOn(SessionClaim pending, @Nullable LockSession given) {
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
                warnings.say("Session terminated (" + failure.getMessage() + "); retrying to acquire '"
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

    /** Whether the claim has not been withdrawn. From now on a withdrawal cancels the statement of that session. */
    private boolean assign(SessionClaim pending, @Nullable LockSession session) {
        return locked(() -> {
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
        locked(() -> {
            if (pending.released) {
                throw new StaleRequestException(pending.claim);
            }
            pending.session = session;
            if (session == null) {
                claims.remove(pending.claim.id(), pending);
                return;
            }
            pending.granted = true;
            if (pending.exclusive) {
                SessionClaim before = leaders.put(pending.claim.name(), pending);
                if (before != null) {
                    // Its session has ended, or is releasing the lock; the claim that waits for it waits for this one.
                    SessionClaim next = before.removeSuccessor();
                    if (next == null || next.claim.mode() == Claim.Mode.WAIT) {
                        pending.successor = next;
                    } else {
                        // An attempt that has followed the release does not wait.
                        claims.remove(next.claim.id(), next);
                        completions.add(() -> next.answer.complete(Optional.empty()));
                    }
                }
            }
            expireLater(pending, session);
        });
    }

    /** Under the mutex. At the end of the lease, the database may end the session, unless the lease was renewed. */
    private void expireLater(SessionClaim holder, LockSession session) {
        Runnable check = () -> locked(() -> {
            if (!holder.released && session.remainingNanos() > 0) {
                expireLater(holder, session);
            } else if (!closed) {
                markLost(holder);
            }
        });
        holder.expiry = environment.scheduler().schedule(check, Math.max(0, session.remainingNanos()));
    }

    private void locked(Runnable work) {
        locked(() -> {
            work.run();
            return true;
        });
    }

    private <T> T locked(Supplier<T> work) {
        mutex.lock();
        try {
            return work.get();
        } finally {
            unlockMutex();
        }
    }

    private void unlockMutex() {
        List<Runnable> due = List.of();
        try {
            if (mutex.getHoldCount() == 1 && !completions.isEmpty()) {
                due = List.copyOf(completions);
                completions.clear();
            }
        } finally {
            mutex.unlock();
        }
        due.forEach(Runnable::run);
    }

    /** Under the mutex. The session of the holder has ended, or is ended now; its successor continues on another one. */
    private void markLost(SessionClaim holder) {
        if (removeHolder(holder) && holder.session != null) {
            holder.session.retire();
            pool.release(holder.session);
            startSuccessor(holder);
        }
    }

    /** Under the mutex. The claim is no holder any more; whether it was. */
    private boolean removeHolder(SessionClaim holder) {
        holder.released = true;
        if (holder.expiry != null) {
            holder.expiry.cancel();
        }
        return claims.remove(holder.claim.id(), holder);
    }

    /** Under the mutex. */
    private void startSuccessor(SessionClaim holder) {
        SessionClaim next = removeSuccessor(holder);
        if (next != null) {
            start(next);
        }
    }

    /** Under the mutex. */
    private @Nullable SessionClaim removeSuccessor(SessionClaim holder) {
        leaders.remove(holder.claim.name(), holder);
        return holder.removeSuccessor();
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        // A session that is unresponsive must not delay the answers for the others.
        long longest = renewals.stream()
                .mapToLong(renewal -> renewal.lease().toNanos() / 6)
                .reduce(settings.timeout().toNanos(), Math::min);
        List<CompletableFuture<RenewalRequest.Outcome>> answers = renewals.stream()
                .map(renewal ->
                        renew(renewal).completeOnTimeout(RenewalRequest.Outcome.UNKNOWN, longest, TimeUnit.NANOSECONDS))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<RenewalRequest.Outcome> renew(RenewalRequest renewal) {
        SessionClaim holder = locked(() -> claims.get(renewal.claim().id()));
        CompletableFuture<RenewalRequest.Outcome> answer = new CompletableFuture<>();
        if (holder == null || !holder.granted) {
            answer.complete(RenewalRequest.Outcome.GONE);
            return answer;
        }
        execute(() -> answer.complete(renew(holder, renewal)), noThread -> {
            warnings.say("There is no thread to renew '" + renewal.claim().name() + "' (" + noThread + ").");
            answer.complete(RenewalRequest.Outcome.UNKNOWN);
        });
        return answer;
    }

    private RenewalRequest.Outcome renew(SessionClaim holder, RenewalRequest renewal) {
        RenewalRequest.Outcome outcome;
        try {
            outcome = Objects.requireNonNull(holder.session).renew(renewal);
        } catch (SQLException | RuntimeException failure) {
            warnings.say("The session that holds '" + renewal.claim().name() + "' has ended (" + failure.getMessage()
                    + "), so the lock is lost.");
            outcome = RenewalRequest.Outcome.GONE;
        }
        if (outcome == RenewalRequest.Outcome.GONE) {
            locked(() -> markLost(holder));
        } else if (outcome == RenewalRequest.Outcome.KEPT && !Claims.isExclusive(renewal.claim())) {
            locked(() -> {
                if (holder.exclusive && !holder.released) {
                    startSuccessor(holder);
                }
                holder.exclusive = false;
            });
        }
        return outcome;
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        SessionClaim known;
        mutex.lock();
        try {
            known = claims.get(claim.id());
            if (known == null || !known.granted) {
                releasedClaims.add(claim.id());
                return known == null ? CompletableFuture.completedFuture(false) : withdraw(known);
            }
            removeHolder(known);
            leaders.putIfAbsent(claim.name(), known);
        } finally {
            unlockMutex();
        }
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        execute(() -> unlock(known, answer), noThread -> {
            SessionClaim next = locked(() -> removeSuccessor(known));
            if (next != null) {
                fail(next, noThread);
            }
            unlock(known, answer);
        });
        return answer;
    }

    private void unlock(SessionClaim holder, CompletableFuture<Boolean> answer) {
        LockSession session = Objects.requireNonNull(holder.session);
        Runnable completion = unlock(session, answer);
        SessionClaim next = locked(() -> {
            SessionClaim successor = removeSuccessor(holder);
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
            execute(completion, noThread -> completion.run());
            acquireOn(next, session);
        }
    }

    /** Returns what answers the release. */
    private static Runnable unlock(LockSession session, CompletableFuture<Boolean> answer) {
        try {
            boolean had = session.unlock();
            return () -> answer.complete(had);
        } catch (SQLException | RuntimeException | Error failure) {
            return () -> answer.completeExceptionally(failure);
        }
    }

    /** Under the mutex. */
    private CompletableFuture<Boolean> withdraw(SessionClaim pending) {
        pending.released = true;
        LockSession session = pending.session;
        SessionClaim leader = leaders.get(pending.claim.name());
        if (leader != null && leader.successor == pending) {
            leader.successor = null;
            fail(pending, new StaleRequestException(pending.claim));
        } else if (session != null) {
            // At once, for when the server gets the request to cancel, the session may work for another claim.
            session.retire();
            if (!closed) {
                environment
                        .scheduler()
                        .schedule(() -> abortWait(pending), settings.timeout().toNanos());
            }
            execute(session::cancel, noThread -> session.discard());
        }
        return pending.answer.handle((grant, failure) -> false);
    }

    /** Ends a wait that was cancelled to no effect. */
    private void abortWait(SessionClaim pending) {
        locked(() -> {
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
                        locked(() -> List.copyOf(claims.values()).stream()
                                .filter(holder -> holder.hasToken(name, token))
                                .forEach(this::markLost));
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
        locked(() -> {
            closed = true;
            for (SessionClaim each : List.copyOf(claims.values())) {
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
        executor.shutdown();
    }
}
