package io.holdfast.jdbc;

import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.Environment;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Opens, counts and closes sessions. One that has no lock is kept for the next claim, for a few seconds. */
final class IdleSessions {

    private static final long LONGEST_IDLE = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;
    private final Executor threads;
    private final Supplier<LockSession> maker;
    private final int most;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Deque<LockSession> idle = new ArrayDeque<>();
    private int count;
    private boolean dropping;
    private boolean closed;

    IdleSessions(Environment environment, Executor threads, int most, Supplier<LockSession> maker) {
        this.environment = environment;
        this.threads = threads;
        this.most = most;
        this.maker = maker;
    }

    /** The one that was used last, or a new one. */
    LockSession borrow() throws SQLException {
        mutex.lock();
        try {
            for (LockSession last = idle.pollLast(); last != null; last = idle.pollLast()) {
                if (last.isFresh(LONGEST_IDLE)) {
                    return last;
                }
                end(last);
            }
            if (count >= most) {
                throw new SQLException("All " + most + " connections for session locks are in use, one for each name"
                        + " that is held or waited for. Raise connections().");
            }
            count++;
            return maker.get();
        } finally {
            mutex.unlock();
        }
    }

    /** A new one in place of one that has been discarded, and is not given back. */
    LockSession replacement() {
        return maker.get();
    }

    void giveBack(LockSession session) {
        mutex.lock();
        try {
            if (closed || session.isUseless()) {
                end(session);
            } else {
                idle.addLast(session);
                dropLater();
            }
        } finally {
            mutex.unlock();
        }
    }

    private void dropLater() {
        if (!dropping && !idle.isEmpty()) {
            dropping = true;
            environment.scheduler().schedule(this::dropOld, LONGEST_IDLE / 2);
        }
    }

    private void dropOld() {
        mutex.lock();
        try {
            dropping = false;
            idle.removeIf(session -> {
                boolean old = !session.isFresh(LONGEST_IDLE);
                if (old) {
                    end(session);
                }
                return old;
            });
            dropLater();
        } finally {
            mutex.unlock();
        }
    }

    private void end(LockSession session) {
        count--;
        discard(session);
    }

    /** Closes it without blocking the caller. */
    void discard(LockSession session) {
        session.retire();
        try {
            threads.execute(session::discard);
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            session.discard();
        }
    }

    void close() {
        mutex.lock();
        try {
            closed = true;
            idle.forEach(this::end);
            idle.clear();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Keeps sessions open until the database would end them, too: critical sections may still run under their locks. It takes a
     * dedicated thread, because the scheduler may end with the store; and a reference, because drivers close connections that
     * are unreachable.
     */
    void letExpire(List<LockSession> holding) {
        if (!holding.isEmpty()) {
            DaemonThreads.named("holdfast-jdbc-last")
                    .newThread(() -> holding.forEach(this::keep))
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
}
