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

/** Opens, counts and closes the sessions of a store. One that holds no lock is kept for the next claim, for a few seconds. Thread-safe. */
final class SessionPool {

    private static final long MAX_IDLE = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;
    private final Executor threads;
    private final Supplier<LockSession> factory;
    private final int max;
    private final Deque<LockSession> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicBoolean removalScheduled = new AtomicBoolean();
    private volatile boolean closed;

    SessionPool(Environment environment, Executor threads, int max, Supplier<LockSession> factory) {
        this.environment = environment;
        this.threads = threads;
        this.max = max;
        this.factory = factory;
    }

    /** The session that was used last, or a new one. */
    LockSession borrow() throws SQLException {
        do {
            for (LockSession last = idle.pollLast(); last != null; last = idle.pollLast()) {
                if (last.isFresh(MAX_IDLE)) {
                    return last;
                }
                close(last);
            }
            if (open.getAndUpdate(opened -> Math.min(max, opened + 1)) < max) {
                return factory.get();
            }
            // One may have been released meanwhile.
        } while (!idle.isEmpty());
        throw new SQLException("All " + max + " connections for session locks are in use, one for each name that is"
                + " held or waited for, so no other lock can be acquired. Raise JdbcStoreBuilder.connections().");
    }

    /** A new one in place of one that has ended. */
    LockSession replace(LockSession ended) {
        discard(ended);
        return factory.get();
    }

    /** Keeps it for the next claim, or closes it if it is retired. */
    void release(LockSession session) {
        if (session.isRetired()) {
            close(session);
            return;
        }
        idle.addLast(session);
        if (closed) {
            close();
        } else {
            scheduleRemoval();
        }
    }

    private void scheduleRemoval() {
        if (!idle.isEmpty() && removalScheduled.compareAndSet(false, true)) {
            environment.scheduler().schedule(this::removeIdle, MAX_IDLE / 2);
        }
    }

    private void removeIdle() {
        removalScheduled.set(false);
        for (LockSession session : List.copyOf(idle)) {
            if (!session.isFresh(MAX_IDLE) && idle.remove(session)) {
                close(session);
            }
        }
        scheduleRemoval();
    }

    private void close(LockSession session) {
        open.decrementAndGet();
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
            close(session);
        }
    }
}
