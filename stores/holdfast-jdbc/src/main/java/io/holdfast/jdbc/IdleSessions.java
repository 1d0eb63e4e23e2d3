package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Sessions that have no lock, for a few seconds; and a bound on how many there are with those that do. */
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
            LockSession session = idle.pollLast();
            while (session != null) {
                if (session.isFresh(LONGEST_IDLE)) {
                    return session;
                }
                end(session);
                session = idle.pollLast();
            }
            return open();
        } finally {
            mutex.unlock();
        }
    }

    /** A new one. */
    LockSession open() throws SQLException {
        mutex.lock();
        try {
            if (count >= most) {
                throw new SQLException(
                        "All " + most + " sessions for locks are in use, one for each name that is held or"
                                + " waited for. Raise connections().");
            }
            count++;
            return maker.get();
        } finally {
            mutex.unlock();
        }
    }

    /** A new one in place of one that is of no use any more. */
    LockSession replace(LockSession session) throws SQLException {
        mutex.lock();
        try {
            giveBack(session);
            return open();
        } finally {
            mutex.unlock();
        }
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

    /** It is of no use any more, and no longer counts. */
    void drop(LockSession session) {
        session.retire();
        giveBack(session);
    }

    private void dropLater() {
        if (!dropping && !idle.isEmpty()) {
            dropping = true;
            environment.scheduler().schedule(this::dropOld, LONGEST_IDLE / 2);
        }
    }

    /** Closes those that nobody has needed for long. */
    private void dropOld() {
        mutex.lock();
        try {
            dropping = false;
            for (Iterator<LockSession> rest = idle.iterator(); rest.hasNext(); ) {
                LockSession session = rest.next();
                if (!session.isFresh(LONGEST_IDLE)) {
                    rest.remove();
                    end(session);
                }
            }
            dropLater();
        } finally {
            mutex.unlock();
        }
    }

    private void end(LockSession session) {
        count--;
        discard(session);
    }

    /** Ends it without keeping the caller waiting for the network. */
    void discard(LockSession session) {
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
}
