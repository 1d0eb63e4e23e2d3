package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Renewal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The claims of this process that have session locks, and what becomes of them. The mutex is that of the store. */
final class SessionHolders implements SessionRenewals.Holders {

    /*
     * Whoever waits for a holder goes on in one of three ways, so nobody waits for nothing: with its session, when it has
     * given the lock back; or on another one, when it has lost the lock (its session ended, its lease is over, it was
     * revoked) or shares it from now on. The last two are `lose` and `letOthersIn`.
     */
    private final ReentrantLock mutex;
    private final Environment environment;
    private final IdleSessions idle;
    private final Consumer<SessionWait> onAnotherSession;
    private final Map<ClaimId, SessionHolder> holders = new HashMap<>();
    /** By name: who has it alone, or is giving it back. */
    private final Map<String, SessionHolder> followed = new HashMap<>();

    private boolean closed;

    SessionHolders(
            ReentrantLock mutex, Environment environment, IdleSessions idle, Consumer<SessionWait> onAnotherSession) {
        this.mutex = mutex;
        this.environment = environment;
        this.idle = idle;
        this.onAnotherSession = onAnotherSession;
    }

    /** What the claim has. */
    LockSession.@Nullable Held held(ClaimId id) {
        SessionHolder holder = holder(id);
        return holder == null ? null : holder.session.held();
    }

    /** Whom a claim for that name can wait for in this process. */
    @Nullable
    SessionHolder before(String name) {
        mutex.lock();
        try {
            return followed.get(name);
        } finally {
            mutex.unlock();
        }
    }

    void add(Claim claim, LockSession session) {
        mutex.lock();
        try {
            SessionHolder holder = new SessionHolder(claim, session);
            holders.put(claim.id(), holder);
            if (holder.alone) {
                followed.put(claim.name(), holder);
            }
            watch(holder);
        } finally {
            mutex.unlock();
        }
    }

    /** The claim gives back what it has. Null if it has nothing. */
    @Nullable
    SessionHolder leaves(ClaimId id) {
        mutex.lock();
        try {
            SessionHolder holder = holders.remove(id);
            if (holder != null) {
                holder.unwatch();
                holder.leaving = true;
                followed.putIfAbsent(holder.claim.name(), holder);
            }
            return holder;
        } finally {
            mutex.unlock();
        }
    }

    /** Whether somebody goes on with its session, as far as is known by now. */
    boolean isFollowed(SessionHolder holder) {
        mutex.lock();
        try {
            return holder.hasNext();
        } finally {
            mutex.unlock();
        }
    }

    /** It has given it back. Returns who goes on with its session. */
    @Nullable
    SessionWait left(SessionHolder holder) {
        mutex.lock();
        try {
            followed.remove(holder.claim.name(), holder);
            return holder.takeNext();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public @Nullable SessionHolder holder(ClaimId id) {
        mutex.lock();
        try {
            return holders.get(id);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void renewed(SessionHolder holder, Renewal renewal, Renewal.Outcome outcome) {
        mutex.lock();
        try {
            if (outcome == Renewal.Outcome.GONE) {
                lose(holder);
            } else if (outcome == Renewal.Outcome.KEPT && !SessionDialect.isWhole(renewal.claim()) && holder.alone) {
                holder.alone = false;
                if (!holder.leaving) {
                    letOthersIn(holder);
                }
            }
        } finally {
            mutex.unlock();
        }
    }

    void revoked(String name, long token) {
        mutex.lock();
        try {
            List.copyOf(holders.values()).stream()
                    .filter(holder -> holder.claim.name().equals(name) && holder.session.hasToken(token))
                    .forEach(this::lose);
        } finally {
            mutex.unlock();
        }
    }

    /** Nobody is watched any more; the sessions that are left. */
    List<LockSession> close() {
        mutex.lock();
        try {
            closed = true;
            return holders.values().stream().map(holder -> holder.session).toList();
        } finally {
            mutex.unlock();
        }
    }

    /** Looks again when the lease ends, unless it is renewed: the database may have ended it. */
    private void watch(SessionHolder holder) {
        LockSession.Held held = holder.session.held();
        long delay = held == null ? 0 : held.endNanos() - environment.ticker().nanos();
        holder.watch(environment.scheduler().schedule(() -> expire(holder), Math.max(0, delay)));
    }

    private void expire(SessionHolder holder) {
        mutex.lock();
        try {
            LockSession.Held held = holder.session.held();
            if (closed || !holder.equals(holders.get(holder.claim.id()))) {
                return;
            }
            if (held != null && held.endNanos() - environment.ticker().nanos() > 0) {
                watch(holder);
            } else {
                lose(holder);
            }
        } finally {
            mutex.unlock();
        }
    }

    private void lose(SessionHolder holder) {
        if (holders.remove(holder.claim.id(), holder)) {
            holder.unwatch();
            idle.drop(holder.session);
            letOthersIn(holder);
        }
    }

    private void letOthersIn(SessionHolder holder) {
        SessionWait next = left(holder);
        if (next != null) {
            onAnotherSession.accept(next);
        }
    }
}
