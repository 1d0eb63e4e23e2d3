package io.holdfast.jdbc;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RecentClaims;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Scheduler;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Locks of database sessions: a connection for every name that this process holds or waits for. */
final class SessionLocks implements LockStore {

    /*
     * Safety. The database gives a lock to one session, and keeps it for that session until the session gives it back or
     * ends. A claim has a session of its own from the first request to the end, and is given back on that session or with it:
     * a session about which there is any doubt is closed, never used again. So a claim that failed in the middle leaves no
     * lock but that of a session which the database ends: at once if it sees the connection close, else when it has heard
     * nothing for the length of the lease, because the session was told so before it asked for the lock.
     *
     * Deadlines. Each statement on the session makes the database wait that long anew, from its end; the holder counts from
     * before the last answered one was sent. The database's view lasts longer. Every renewal asks whether the session is
     * still the same and has the lock: a proxy may have put another in its place.
     *
     * Tokens come from a row, written by the session that has the lock, after it got it, and on disk before the claim is
     * granted. So they grow in the order of the grants.
     *
     * The next claim for a name waits for the release of the one before, and goes on with its session: so there are no more
     * connections than names.
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
    private final Complaints complaints;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<ClaimId, Wait> waits = new HashMap<>();
    private final Map<ClaimId, LockSession> holders = new HashMap<>();
    private final Map<ClaimId, Scheduler.Task> watches = new HashMap<>();
    private final Map<String, Leaving> leaving = new HashMap<>();
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
        this.capabilities = new Capabilities(source.name(), Capabilities.Queue.NONE, dialect.sharing());
        this.threads = threads;
        this.lanes = lanes;
        this.ended = new RecentClaims(environment.ticker());
        this.complaints = new Complaints(LOG, source.name(), environment.ticker());
        this.idle = new IdleSessions(
                environment,
                threads,
                settings.connections(),
                () -> new LockSession(source, dialect, environment.ticker(), settings.timeout()));
        this.sweeping = new Sweeping(source.name(), environment, lanes, settings.retention(), session -> {
            dialect.sweep(session, settings.retention());
        });
    }

    /** A claim that asks for the lock. */
    private static final class Wait {
        private final Claim claim;
        private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
        /** Completes when nothing is left of the claim in the database. */
        private final CompletableFuture<Boolean> over = new CompletableFuture<>();

        private @Nullable LockSession session;
        private boolean withdrawn;

        Wait(Claim claim) {
            this.claim = claim;
        }
    }

    /** A session that gives a lock back, and who goes on with it. */
    private static final class Leaving {
        private @Nullable Wait next;
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        Wait wait = new Wait(claim);
        mutex.lock();
        try {
            LockSession.Held own = held(claim.id());
            if (own != null) {
                return CompletableFuture.completedFuture(Optional.of(own.grant()));
            }
            if (closed || ended.has(claim.id())) {
                return CompletableFuture.failedFuture(closed ? closed() : LeaseTable.tooLate(claim));
            }
            Wait same = waits.get(claim.id());
            if (same != null) {
                return same.answer;
            }
            waits.put(claim.id(), wait);
            Leaving before = leaving.get(claim.name());
            if (before != null && before.next == null) {
                before.next = wait;
                return wait.answer;
            }
        } finally {
            mutex.unlock();
        }
        threads.execute(() -> serve(wait, null));
        return wait.answer;
    }

    private LockSession.@Nullable Held held(ClaimId id) {
        LockSession session = holders.get(id);
        return session == null ? null : session.held();
    }

    /** Gets the lock for the claim, on that session or another. Takes as long as it takes. */
    private void serve(Wait wait, @Nullable LockSession given) {
        LockSession session = given;
        try {
            if (session == null) {
                session = idle.borrow();
            }
            Optional<Grant> grant = begin(wait, session) ? locked(wait, session) : Optional.empty();
            boolean wanted = end(wait, grant.isPresent() ? session : null);
            if (!wanted && grant.isPresent()) {
                session.unlock();
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
            end(wait, null);
            wait.answer.completeExceptionally(failure);
        } finally {
            wait.over.complete(false);
        }
    }

    private Optional<Grant> locked(Wait wait, LockSession session) throws SQLException {
        boolean got = session.lock(wait.claim);
        while (!got && wait.claim.mode() == Claim.Mode.WAIT && begin(wait, session)) {
            got = session.lock(wait.claim);
        }
        return got ? Optional.of(session.grant(wait.claim)) : Optional.empty();
    }

    /** Whether somebody still wants it; from now on a withdrawal knows where to go. */
    private boolean begin(Wait wait, LockSession session) {
        mutex.lock();
        try {
            wait.session = session;
            return !wait.withdrawn;
        } finally {
            mutex.unlock();
        }
    }

    /** The wait is over; whether somebody still wanted it. */
    private boolean end(Wait wait, @Nullable LockSession session) {
        mutex.lock();
        try {
            waits.remove(wait.claim.id(), wait);
            wait.session = null;
            if (session != null && !wait.withdrawn) {
                holders.put(wait.claim.id(), session);
                watch(wait.claim.id(), session);
            }
            return !wait.withdrawn;
        } finally {
            mutex.unlock();
        }
    }

    /** Looks again when the lease ends, unless it is renewed: the database may have ended it. */
    private void watch(ClaimId id, LockSession session) {
        LockSession.Held held = session.held();
        if (held != null) {
            long delay = held.endNanos() - environment.ticker().nanos();
            watches.put(id, environment.scheduler().schedule(() -> expire(id, session), Math.max(0, delay)));
        }
    }

    private void unwatch(ClaimId id) {
        Scheduler.Task watch = watches.remove(id);
        if (watch != null) {
            watch.cancel();
        }
    }

    private void expire(ClaimId id, LockSession session) {
        mutex.lock();
        try {
            LockSession.Held held = session.held();
            if (!session.equals(holders.get(id)) || closed) {
                return;
            }
            if (held != null && held.endNanos() - environment.ticker().nanos() > 0) {
                watch(id, session);
                return;
            }
            holders.remove(id);
            watches.remove(id);
        } finally {
            mutex.unlock();
        }
        drop(session);
    }

    /** The session is of no use any more; whoever counts sessions has to know. */
    private void drop(LockSession session) {
        session.retire();
        idle.giveBack(session);
    }

    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        List<CompletableFuture<Renewal.Outcome>> answers = new ArrayList<>(renewals.size());
        Duration shortest = settings.timeout();
        for (Renewal renewal : renewals) {
            answers.add(renew(renewal));
            Duration part = renewal.lease().dividedBy(6);
            shortest = part.compareTo(shortest) < 0 ? part : shortest;
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
        // One that hangs must not keep the others from being told.
        var late = environment
                .scheduler()
                .schedule(
                        () -> answers.forEach(answer -> answer.complete(Renewal.Outcome.UNKNOWN)), shortest.toNanos());
        return all.thenApply(done -> {
            late.cancel();
            return answers.stream().map(CompletableFuture::join).toList();
        });
    }

    private CompletableFuture<Renewal.Outcome> renew(Renewal renewal) {
        ClaimId id = renewal.claim().id();
        LockSession session;
        mutex.lock();
        try {
            session = holders.get(id);
        } finally {
            mutex.unlock();
        }
        if (session == null) {
            return CompletableFuture.completedFuture(Renewal.Outcome.GONE);
        }
        LockSession asked = session;
        CompletableFuture<Renewal.Outcome> answer = new CompletableFuture<>();
        threads.execute(() -> {
            Renewal.Outcome outcome;
            try {
                outcome = asked.renew(renewal);
            } catch (SQLException | RuntimeException failure) {
                // It was the only session that could have the lock.
                outcome = Renewal.Outcome.GONE;
                complaints.say("The session that has '" + renewal.claim().name() + "' has ended ("
                        + failure.getMessage() + "), and with it the lock.");
            }
            if (outcome == Renewal.Outcome.GONE) {
                forget(id, asked);
            }
            answer.complete(outcome);
        });
        return answer;
    }

    private void forget(ClaimId id, LockSession session) {
        mutex.lock();
        try {
            if (!holders.remove(id, session)) {
                return;
            }
            unwatch(id);
        } finally {
            mutex.unlock();
        }
        drop(session);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        LockSession session;
        Leaving leaves = new Leaving();
        mutex.lock();
        try {
            session = holders.remove(claim.id());
            if (session != null) {
                unwatch(claim.id());
                leaving.put(claim.name(), leaves);
            } else {
                ended.add(claim.id());
                Wait wait = waits.get(claim.id());
                if (wait != null) {
                    return withdraw(wait);
                }
            }
        } finally {
            mutex.unlock();
        }
        if (session == null) {
            return CompletableFuture.completedFuture(false);
        }
        LockSession its = session;
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        threads.execute(() -> leave(claim.name(), its, leaves, answer));
        return answer;
    }

    /** Under the mutex. */
    private CompletableFuture<Boolean> withdraw(Wait wait) {
        wait.withdrawn = true;
        LockSession session = wait.session;
        if (session != null) {
            // At once, for by the time that the word to cancel is sent the session may have been lent to another claim.
            session.retire();
            threads.execute(session::cancel);
            if (!closed) {
                environment
                        .scheduler()
                        .schedule(
                                () -> cutOff(wait, session), settings.timeout().toNanos());
            }
        } else {
            Leaving before = leaving.get(wait.claim.name());
            if (before != null && wait.equals(before.next)) {
                before.next = null;
                waits.remove(wait.claim.id());
                wait.over.complete(false);
                wait.answer.completeExceptionally(LeaseTable.tooLate(wait.claim));
            }
        }
        return wait.over;
    }

    /** Ends a wait that goes on although it was cancelled. */
    private void cutOff(Wait wait, LockSession session) {
        if (wait.over.isDone()) {
            return;
        }
        idle.discard(session);
    }

    private void leave(String name, LockSession session, Leaving leaves, CompletableFuture<Boolean> answer) {
        try {
            boolean held = session.unlock();
            answer.complete(held);
        } catch (SQLException | RuntimeException | Error failure) {
            session.discard();
            answer.completeExceptionally(failure);
        }
        Wait next;
        boolean goesOn;
        mutex.lock();
        try {
            leaving.remove(name, leaves);
            next = leaves.next;
            leaves.next = null;
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
        return lanes.call(name, session -> dialect.revoke(session, name, token, settings.timeout()));
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public void close() {
        List<LockSession> left;
        Map<Wait, LockSession> waiting = new HashMap<>();
        mutex.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            for (Wait wait : List.copyOf(waits.values())) {
                if (wait.session != null) {
                    waiting.put(wait, wait.session);
                }
                wait.answer.completeExceptionally(closed());
                var unused = withdraw(wait);
            }
            left = List.copyOf(holders.values());
        } finally {
            mutex.unlock();
        }
        sweeping.close();
        lanes.close();
        idle.close();
        endAll(waiting);
        letExpire(left);
        threads.shutdown();
    }

    private void endAll(Map<Wait, LockSession> waiting) {
        CompletableFuture<?>[] ends =
                waiting.keySet().stream().map(wait -> wait.over).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(ends)
                .completeOnTimeout(null, settings.timeout().toNanos(), TimeUnit.NANOSECONDS)
                .join();
        waiting.forEach(this::cutOff);
    }

    /**
     * Those that still hold may have bodies that run: they are kept until the database would end them too. It takes a thread of
     * its own, because the scheduler may end with this store; and a reference, because drivers close what nobody refers to.
     */
    private void letExpire(List<LockSession> left) {
        if (!left.isEmpty()) {
            Thread last = new Thread(() -> left.forEach(this::keep), "holdfast-jdbc-last");
            last.setDaemon(true);
            last.start();
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
