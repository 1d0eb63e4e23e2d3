package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RecentClaims;
import io.holdfast.spi.Renewal;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Locks of database sessions: a connection for every name that this process holds or waits for. */
final class SessionLocks implements LockStore {

    /*
     * Safety. The database gives a lock to one session, and keeps it for that session until the session gives it back or
     * ends. From its first request to the end a claim has a session of its own, and is given back on that session or with it:
     * a session about which there is any doubt is closed, never used again. So a claim that failed in the middle leaves no
     * lock but that of a session which the database ends: at once if it sees the connection close, else when it has heard
     * nothing for the length of the lease, because the session was told so before it asked for the lock.
     *
     * Deadlines. Each statement on the session makes the database wait that long anew, from its end; the holder counts from
     * before the last answered one was sent. The database's view lasts longer. Every renewal asks whether the session is
     * still the same and has the lock: a proxy may have put another in its place.
     *
     * A session that is ended for what it had must not have anything else by then. On PostgreSQL, and on MariaDB and MySQL unless
     * the session is about to take the same lock again, it cannot give a lock back while somebody revokes it. If it can, it
     * takes no other lock before that is over, and a grant of the same one waits for that by itself.
     *
     * Tokens come from a row, written by the session that has the lock, after it got it, and on disk before the claim is
     * granted. So they grow in the order of the grants.
     *
     * A claim for a name that this process has alone waits until that is given back, and goes on with its session: so there
     * is one connection for a name, except where readers share it. It may well come first, for nobody keeps a release and the next claim in order.
     * Whatever else becomes of the one before sends it to the database.
     */
    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    private final Environment environment;
    private final SessionDialect dialect;
    private final Settings settings;
    private final Capabilities capabilities;
    private final ExecutorService threads;
    private final IdleSessions idle;
    private final Lanes lanes;
    private final Sweeping sweeping;
    private final RecentClaims ended;
    private final SessionRenewals renewals;
    private final Complaints complaints;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<ClaimId, SessionWait> waiting = new HashMap<>();
    private final SessionHolders holders;
    private boolean closed;

    SessionLocks(
            Source source,
            Environment environment,
            SessionDialect dialect,
            Settings settings,
            ExecutorService threads,
            Lanes lanes) {
        this.environment = environment;
        this.dialect = dialect;
        this.settings = settings;
        this.capabilities = new Capabilities(
                source.name(), Capabilities.Queue.NONE, dialect.sharing(), Capabilities.Expiry.SESSION);
        this.threads = threads;
        this.lanes = lanes;
        this.ended = new RecentClaims(environment.ticker());
        this.complaints = new Complaints(LOG, source.name(), environment.ticker());
        this.idle = new IdleSessions(
                environment,
                threads,
                settings.connections(),
                () -> new LockSession(source, dialect, environment.ticker(), settings.timeout()));
        this.holders = new SessionHolders(mutex, environment, idle, this::start);
        this.renewals = new SessionRenewals(environment, threads, settings.timeout(), complaints, holders);
        this.sweeping = new Sweeping(
                source.name(), environment, lanes, settings.retention(), List.of(dialect.sweep(settings.retention())));
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        SessionWait wait = new SessionWait(claim);
        boolean waits = claim.mode() == Claim.Mode.WAIT;
        mutex.lock();
        try {
            LockSession.Held own = holders.held(claim.id());
            if (own != null) {
                return CompletableFuture.completedFuture(Optional.of(own.grant()));
            }
            if (closed || ended.has(claim.id())) {
                return CompletableFuture.failedFuture(closed ? closed() : LeaseTable.tooLate(claim));
            }
            SessionWait same = waiting.get(claim.id());
            if (same != null) {
                return same.answer;
            }
            SessionHolder before = holders.before(claim.name());
            if (before != null && !before.hasNext() && (waits || before.leaving)) {
                waiting.put(claim.id(), wait);
                before.followedBy(wait);
                return wait.answer;
            }
            if (before != null && before.alone && !waits) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            waiting.put(claim.id(), wait);
        } finally {
            mutex.unlock();
        }
        start(wait);
        return wait.answer;
    }

    private void start(SessionWait wait) {
        try {
            threads.execute(() -> serve(wait, null));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            fail(wait, noThread);
        }
    }

    private void fail(SessionWait wait, Throwable failure) {
        end(wait, null);
        wait.answer.completeExceptionally(failure);
        wait.over.complete(false);
    }

    /** Gets the lock for the claim, on that session or another. Takes as long as it takes. */
    private void serve(SessionWait wait, @Nullable LockSession given) {
        LockSession session = given;
        try {
            if (session == null) {
                session = idle.borrow();
            }
            Optional<Grant> grant;
            try {
                grant = ask(wait, session);
            } catch (SQLException failure) {
                if (!SessionDialect.isEnd(failure) || !session.isReusedFor(wait.claim) || !isWanted(wait)) {
                    throw failure;
                }
                // It ended while it was idle, or was ended for what it had before.
                complaints.say("A session is of no use any more (" + failure.getMessage() + "); another one asks for '"
                        + wait.claim.name() + "'.");
                LockSession useless = session;
                useless.discard();
                session = null;
                session = idle.replace(useless);
                grant = ask(wait, session);
                if (grant.isEmpty() && isWanted(wait) && !(failure instanceof LockSession.Unsettled)) {
                    // Perhaps it is the one that has ended who has it, for a moment.
                    throw failure;
                }
            }
            boolean wanted = end(wait, grant.isPresent() ? session : null);
            if (!wanted && grant.isPresent()) {
                session.unlock(false);
            }
            if (!wanted || grant.isEmpty()) {
                idle.giveBack(session);
            }
            if (wanted) {
                wait.answer.complete(grant);
            } else {
                wait.answer.completeExceptionally(LeaseTable.tooLate(wait.claim));
            }
        } catch (SQLException | RuntimeException | Error failure) {
            if (session != null) {
                session.discard();
                idle.giveBack(session);
            }
            fail(wait, failure);
        } finally {
            wait.over.complete(false);
        }
    }

    private Optional<Grant> ask(SessionWait wait, LockSession session) throws SQLException {
        boolean got = false;
        boolean again = begin(wait, session);
        while (!got && again) {
            got = session.lock(wait.claim);
            again = wait.claim.mode() == Claim.Mode.WAIT && begin(wait, session);
        }
        return got ? Optional.of(session.grant(wait.claim)) : Optional.empty();
    }

    private boolean isWanted(SessionWait wait) {
        mutex.lock();
        try {
            return !wait.withdrawn;
        } finally {
            mutex.unlock();
        }
    }

    /** Whether somebody still wants it; from now on a withdrawal knows where to go. */
    private boolean begin(SessionWait wait, LockSession session) {
        mutex.lock();
        try {
            wait.session = session;
            return !wait.withdrawn;
        } finally {
            mutex.unlock();
        }
    }

    /** The wait is over; whether somebody still wanted it. */
    private boolean end(SessionWait wait, @Nullable LockSession session) {
        mutex.lock();
        try {
            waiting.remove(wait.claim.id(), wait);
            wait.session = null;
            if (session != null && !wait.withdrawn) {
                holders.add(wait.claim, session);
            }
            return !wait.withdrawn;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> asked) {
        return renewals.renew(asked);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        SessionHolder holder;
        mutex.lock();
        try {
            holder = holders.leaves(claim.id());
            if (holder == null) {
                ended.add(claim.id());
                SessionWait wait = waiting.get(claim.id());
                if (wait != null) {
                    return withdraw(wait);
                }
            }
        } finally {
            mutex.unlock();
        }
        if (holder == null) {
            return CompletableFuture.completedFuture(false);
        }
        SessionHolder leaving = holder;
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        try {
            threads.execute(() -> leave(leaving, answer));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            SessionWait next = holders.left(leaving);
            if (next != null) {
                fail(next, noThread);
            }
            leave(leaving, answer);
        }
        return answer;
    }

    /** Under the mutex. */
    private CompletableFuture<Boolean> withdraw(SessionWait wait) {
        wait.withdrawn = true;
        LockSession session = wait.session;
        if (session != null) {
            // At once, for by the time that the word to cancel is sent the session may have been lent to another claim.
            session.retire();
            if (!closed) {
                environment
                        .scheduler()
                        .schedule(
                                () -> cutOff(wait, session), settings.timeout().toNanos());
            }
            try {
                threads.execute(session::cancel);
            } catch (RejectedExecutionException | OutOfMemoryError noThread) {
                session.discard();
            }
        } else if (wait.before != null) {
            wait.before.takeNext();
            waiting.remove(wait.claim.id());
            wait.over.complete(false);
            wait.answer.completeExceptionally(LeaseTable.tooLate(wait.claim));
        }
        return wait.over;
    }

    /** Ends a wait that goes on although it was cancelled. */
    private void cutOff(SessionWait wait, LockSession session) {
        if (wait.over.isDone()) {
            return;
        }
        idle.discard(session);
    }

    private void leave(SessionHolder holder, CompletableFuture<Boolean> answer) {
        LockSession session = holder.session;
        try {
            boolean held = session.unlock(holders.isFollowed(holder));
            answer.complete(held);
        } catch (SQLException | RuntimeException | Error failure) {
            session.discard();
            answer.completeExceptionally(failure);
        }
        SessionWait next;
        boolean goesOn;
        mutex.lock();
        try {
            next = holders.left(holder);
            goesOn = next != null && !session.isUseless();
            if (!goesOn) {
                // In the same step, or a claim that comes in between would open another session.
                idle.giveBack(session);
            }
        } finally {
            mutex.unlock();
        }
        if (next != null) {
            serve(next, goesOn ? session : null);
        }
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return lanes.call(session -> dialect.inspect(session, filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return lanes.call(name, session -> dialect.revoke(session, name, token, settings.timeout()))
                .thenApply(revoked -> {
                    if (revoked) {
                        holders.revoked(name, token);
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
        List<LockSession> left;
        Map<SessionWait, LockSession> asking = new HashMap<>();
        mutex.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (SessionWait wait : List.copyOf(waiting.values())) {
                if (wait.session != null) {
                    asking.put(wait, wait.session);
                }
                wait.answer.completeExceptionally(closed());
                var unused = withdraw(wait);
            }
            left = holders.close();
        } finally {
            mutex.unlock();
        }
        sweeping.close();
        lanes.close();
        idle.close();
        endAll(asking);
        letExpire(left);
        threads.shutdown();
    }

    private void endAll(Map<SessionWait, LockSession> asking) {
        CompletableFuture<?>[] ends =
                asking.keySet().stream().map(wait -> wait.over).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(ends)
                .completeOnTimeout(null, settings.timeout().toNanos(), TimeUnit.NANOSECONDS)
                .join();
        asking.forEach(this::cutOff);
    }

    /**
     * Those that still hold may have bodies that run: they are kept until the database would end them too. It takes a thread of
     * its own, because the scheduler may end with this store; and a reference, because drivers close what nobody refers to.
     */
    private void letExpire(List<LockSession> left) {
        if (!left.isEmpty()) {
            DaemonThreads.named("holdfast-jdbc-last")
                    .newThread(() -> left.forEach(this::keep))
                    .start();
        }
    }

    private void keep(LockSession session) {
        LockSession.Held held = session.held();
        try {
            if (held != null) {
                TimeUnit.NANOSECONDS.sleep(
                        held.endNanos() - environment.ticker().nanos());
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        session.discard();
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("The store was closed.");
    }
}
