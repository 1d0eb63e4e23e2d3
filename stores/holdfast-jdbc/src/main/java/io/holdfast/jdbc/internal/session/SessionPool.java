package io.holdfast.jdbc.internal.session;

import io.holdfast.spi.Environment;
import java.sql.SQLException;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Opens, counts and closes sessions. One that has no lock is kept for the next claim, for a few seconds. Thread-safe. */
final class SessionPool {

    private static final long LONGEST_IDLE = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;
    private final Executor threads;
    private final Supplier<LockSession> maker;
    private final int most;
    private final Deque<LockSession> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean dropping = new AtomicBoolean();
    private volatile boolean closed;

    SessionPool(Environment environment, Executor threads, int most, Supplier<LockSession> maker) {
        this.environment = environment;
        this.threads = threads;
        this.most = most;
        this.maker = maker;
    }

    /** The one that was used last, or a new one. */
    LockSession borrow() throws SQLException {
        do {
            for (LockSession last = idle.pollLast(); last != null; last = idle.pollLast()) {
                if (last.isFresh(LONGEST_IDLE)) {
                    return last;
                }
                end(last);
            }
            if (count.getAndUpdate(opened -> Math.min(most, opened + 1)) < most) {
                return maker.get();
            }
            // One may have been freed meanwhile.
        } while (!idle.isEmpty());
        throw new SQLException("All " + most + " connections for session locks are in use, one for each name that is"
                + " held or waited for. Raise connections().");
    }

    /** A new one in place of one that has ended. */
    LockSession replace(LockSession ended) {
        discard(ended);
        return maker.get();
    }

    /** Keeps it for the next claim, or closes it if it is retired. */
    void free(LockSession session) {
        if (session.isRetired()) {
            end(session);
            return;
        }
        idle.addLast(session);
        if (closed) {
            close();
        } else {
            dropLater();
        }
    }

    private void dropLater() {
        if (!idle.isEmpty() && dropping.compareAndSet(false, true)) {
            environment.scheduler().schedule(this::dropOld, LONGEST_IDLE / 2);
        }
    }

    private void dropOld() {
        dropping.set(false);
        for (LockSession session : List.copyOf(idle)) {
            if (!session.isFresh(LONGEST_IDLE) && idle.remove(session)) {
                end(session);
            }
        }
        dropLater();
    }

    private void end(LockSession session) {
        count.decrementAndGet();
        discard(session);
    }

    /** Closes it without blocking the caller. */
    void discard(LockSession session) {
        session.retire();
        threads.execute(session::discard);
    }

    void close() {
        closed = true;
        for (LockSession session = idle.poll(); session != null; session = idle.poll()) {
            end(session);
        }
    }
}
