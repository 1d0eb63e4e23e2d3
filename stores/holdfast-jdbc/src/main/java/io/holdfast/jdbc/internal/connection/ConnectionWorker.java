package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.StaleRequestException;
import io.holdfast.jdbc.internal.StoreClosedException;
import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DaemonThreads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A thread that executes requests on one connection. It opens the connection for the first request, and opens a new one after a failure.
 * Requests are executed by priority, and in the order of their arrival within a priority. A request that waits for the thread longer than
 * the timeout fails without having been sent.
 *
 * <p>A request that fails by a lock conflict is queued again, behind the others of its priority: a row that another session keeps
 * locked delays the other requests by one lock timeout at a time, never by the whole timeout.
 */
public final class ConnectionWorker implements AutoCloseable {

    private static final System.Logger LOG = StoreLog.LOGGER;

    /** A connection that was idle for longer is checked before it is used: a server or a firewall may have dropped it. */
    private static final long IDLE_CHECK_AFTER = TimeUnit.SECONDS.toNanos(5);

    private static final int VALID_WITHIN_SECONDS = 2;
    private static final long REFRESH_CHECK_INTERVAL = TimeUnit.SECONDS.toNanos(1);

    /** A request that lasts longer may not be answered, or may wait for a connection. */
    private static final long UNRESPONSIVE_AFTER = TimeUnit.MILLISECONDS.toNanos(250);

    private final ConnectionSource source;
    private final Dialect dialect;
    private final Duration timeout;
    private final Ticker ticker;
    private final PriorityBlockingQueue<Task<?>> tasks = new PriorityBlockingQueue<>();
    private final AtomicLong sequence = new AtomicLong();
    private final ConnectionRefresher refresher;
    private final Thread thread;
    private volatile boolean stopped;
    /** {@link Dialect#abortSessionStatement} of the present connection, and of the last one that was discarded. */
    private @Nullable String abortStatement;

    private @Nullable String previousAbortStatement;
    /** Written by the thread of this worker only, as {@link #usedAt} is. */
    private volatile @Nullable Session session;

    private long usedAt;
    /** Whether a request is under way, and since when. */
    private volatile boolean working;

    private volatile long workingSince;

    public ConnectionWorker(String name, ConnectionSource source, Dialect dialect, Duration timeout, Ticker ticker) {
        this(name, source, dialect, timeout, ticker, DataSourceConnectionSource.MAX_LIFETIME);
    }

    /** @param maxLifetime how long a connection of a pool is kept */
    public ConnectionWorker(
            String name,
            ConnectionSource source,
            Dialect dialect,
            Duration timeout,
            Ticker ticker,
            Duration maxLifetime) {
        this.source = source;
        this.dialect = dialect;
        this.timeout = timeout;
        this.ticker = ticker;
        this.refresher = new ConnectionRefresher(source, name, () -> source.open(timeout), ticker, maxLifetime);
        this.thread = DaemonThreads.named(name).newThread(this::run);
        if (source.isPool()) {
            // Borrows a connection at once: the pool may be exhausted later.
            var unused = call(Priority.REQUEST, session -> true);
        }
        thread.start();
    }

    /**
     * Which request is executed first if several are queued. Requests that arrive up to 50 ms after a poll are executed before it, and later
     * ones are not: polls are executed in a busy process, too.
     */
    public enum Priority {
        /** First: a late renewal loses a lease. */
        RENEWAL(-TimeUnit.DAYS.toNanos(1)),
        REQUEST(0),
        /** A waiter checks whether its lock is free. It is not repeated after a lock conflict: the waiter polls again later. */
        POLL(TimeUnit.MILLISECONDS.toNanos(50)),
        /** The end of the thread. */
        STOP(TimeUnit.DAYS.toNanos(1));

        private final long delay;

        Priority(long delay) {
            this.delay = delay;
        }
    }

    /**
     * @param due the order of execution: the smallest first
     * @param since when it was queued first
     */
    private record Task<T>(
            Priority priority,
            long due,
            long sequence,
            Session.@Nullable Work<T> work,
            long since,
            CompletableFuture<T> answer)
            implements Comparable<Task<?>> {

        @Override
        public int compareTo(Task<?> other) {
            return due == other.due ? Long.compare(sequence, other.sequence) : Long.signum(due - other.due);
        }
    }

    /** Whether it has a connection, and has not been waiting for a response on it for long. */
    boolean isResponsive() {
        return !stopped && session != null && !(working && ticker.nanos() - workingSince > UNRESPONSIVE_AFTER);
    }

    /** How many requests are queued or under way. */
    int load() {
        return tasks.size() + (working ? 1 : 0);
    }

    public <T> CompletableFuture<T> call(Priority priority, Session.Work<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Task<T> task = queue(priority, work, ticker.nanos(), answer);
        if (stopped && tasks.remove(task)) {
            answer.completeExceptionally(new StoreClosedException());
        }
        return answer;
    }

    private <T> Task<T> queue(
            Priority priority, Session.@Nullable Work<T> work, long since, CompletableFuture<T> answer) {
        long due = ticker.nanos() + priority.delay;
        Task<T> task = new Task<>(priority, due, sequence.getAndIncrement(), work, since, answer);
        tasks.add(task);
        return task;
    }

    /** Refuses new requests; those that are queued are still executed. */
    public void stop() {
        stopped = true;
        queue(Priority.STOP, null, ticker.nanos(), new CompletableFuture<>());
    }

    /** Waits for the thread to end; a statement that does not return is aborted. */
    @Override
    public void close() {
        boolean interrupted = !joined();
        Session open = session;
        if (thread.isAlive() && open != null) {
            open.abort();
            interrupted |= !joined();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the thread has ended, so that its connection is closed. */
    boolean isTerminated() {
        return !thread.isAlive();
    }

    private boolean joined() {
        try {
            thread.join(timeout.toMillis());
            return true;
        } catch (InterruptedException interrupt) {
            return false;
        }
    }

    private void run() {
        try {
            Task<?> task = next();
            while (task.work != null) {
                perform(task);
                task = next();
            }
        } catch (InterruptedException ended) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    source.name() + ": the thread " + thread.getName()
                            + " was interrupted, so it executes no more requests. Close this Holdfast, and do not interrupt its threads.");
        } finally {
            stopped = true;
            refresher.close();
            Session open = session;
            if (open != null) {
                open.close();
            }
            for (Task<?> task = tasks.poll(); task != null; task = tasks.poll()) {
                task.answer.completeExceptionally(new StoreClosedException());
            }
        }
    }

    private Task<?> next() throws InterruptedException {
        if (!source.isPool()) {
            return tasks.take();
        }
        Task<?> task = null;
        while (task == null) {
            Session fresh = refresher.poll();
            if (fresh != null) {
                refresher(fresh);
            }
            task = tasks.poll(REFRESH_CHECK_INTERVAL, TimeUnit.NANOSECONDS);
            if (task == null && session != null) {
                checkIdle();
            }
        }
        return task;
    }

    /**
     * Checks the idle connection, which also prevents its idle-session timeout. A connection that only the next request finds broken would
     * have to be replaced then, when the pool may be exhausted.
     */
    private void checkIdle() {
        workingSince = ticker.nanos();
        working = true;
        try {
            var unused = session();
        } catch (Throwable failure) {
            // As after a failed request, the thread continues.
            LOG.log(
                    System.Logger.Level.WARNING,
                    source.name() + ": the connection of " + thread.getName()
                            + " was lost while it was idle, and the pool has no other (" + failure
                            + "). The next request retries; leases are renewed on the other connections.");
        } finally {
            working = false;
        }
    }

    private <T> void perform(Task<T> task) {
        workingSince = ticker.nanos();
        working = true;
        try {
            if (isTimedOut(task) && task.priority != Priority.POLL) {
                throw new SQLException("The request was not sent within " + timeout + ": all connections to "
                        + source.name() + " were busy, or the database did not respond on them.");
            }
            task.answer.complete(execute(task));
        } catch (Throwable failure) {
            boolean isCollision = failure instanceof SQLException known && dialect.isCollision(known);
            if (isCollision && task.priority != Priority.POLL && !isTimedOut(task)) {
                var unused = queue(task.priority, task.work, task.since, task.answer);
            } else {
                task.answer.completeExceptionally(failure);
            }
        } finally {
            working = false;
        }
    }

    private boolean isTimedOut(Task<?> task) {
        return ticker.nanos() - task.since > timeout.toNanos();
    }

    @SuppressWarnings("NullAway") // the caller has checked it
    private <T> T execute(Task<T> task) throws SQLException {
        Session open = session();
        boolean isUsable = false;
        try {
            T result = task.work.on(open);
            isUsable = true;
            return result;
        } catch (SQLException | RefusedException | StaleRequestException failure) {
            // Not if a transaction could not be begun or ended.
            isUsable = !(failure instanceof SQLException sql && !dialect.isCollision(sql))
                    && open.connection().getAutoCommit();
            throw failure;
        } finally {
            usedAt = ticker.nanos();
            if (!isUsable) {
                discard(open);
            }
        }
    }

    private Session session() throws SQLException {
        Session open = session;
        if (open != null && ticker.nanos() - usedAt > IDLE_CHECK_AFTER) {
            if (isValid(open)) {
                usedAt = ticker.nanos();
            } else {
                discard(open);
                open = null;
            }
        }
        if (open == null) {
            Session borrowed = refresher.await();
            open = borrowed == null ? source.open(timeout) : borrowed;
            try {
                activate(open);
            } catch (SQLException failure) {
                open.discard();
                throw failure;
            }
            abortPreviousSession(open);
        }
        return open;
    }

    private static boolean isValid(Session open) {
        try {
            return open.connection().isValid(VALID_WITHIN_SECONDS);
        } catch (SQLException | RuntimeException failure) {
            LOG.log(System.Logger.Level.DEBUG, "The validity check of a connection failed; it is replaced", failure);
            return false;
        }
    }

    private void activate(Session opened) throws SQLException {
        abortStatement = dialect.abortSessionStatement(opened.connection());
        session = opened;
        usedAt = ticker.nanos();
        refresher.refreshed();
    }

    private void discard(Session open) {
        if (session == open) {
            session = null;
        }
        // Not the session of a connection that was restored: the pool may have lent it to the application by now.
        previousAbortStatement = open.discard() ? null : abortStatement;
    }

    /** Ends the session of the discarded connection, where the server may keep it open, and rows locked. */
    private void abortPreviousSession(Session open) {
        String statement = previousAbortStatement;
        previousAbortStatement = null;
        if (statement != null) {
            try {
                Dialect.execute(open.connection(), statement);
            } catch (SQLException failure) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        source.name() + ": the session of a connection that timed out could not be ended ("
                                + failure.getMessage()
                                + "). Names whose rows it has locked are blocked until this JVM closes its socket. Grant the user the right"
                                + " to end sessions (H2: ADMIN).");
            }
        }
    }

    /** Uses the fresh connection from now on, and returns the old one to the pool. */
    private void refresher(Session fresh) {
        Session old = session;
        try {
            activate(fresh);
        } catch (SQLException failure) {
            LOG.log(System.Logger.Level.DEBUG, "A fresh connection failed at once; the present one is kept", failure);
            fresh.discard();
            return;
        }
        if (old != null) {
            old.close();
        }
    }
}
