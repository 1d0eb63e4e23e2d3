package io.holdfast.jdbc;

import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Ticker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One thread with one connection, which it opens when there is something to do and opens anew after a failure. Requests are
 * executed by priority, and in the order of their arrival within a priority. A request that waits for the thread longer than the
 * timeout fails without having been sent.
 *
 * <p>A request that fails by a lock conflict is queued again, behind the others of its priority: a row that another session keeps
 * locked delays the other requests by one lock timeout at a time, never by the whole timeout.
 */
final class Lane implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    /** A connection that was idle for longer is tried before it is used: a server or a firewall may have dropped it. */
    private static final long IDLE = TimeUnit.SECONDS.toNanos(5);

    private static final int VALID_WITHIN_SECONDS = 2;
    private static final long LOOK_AT_AGE = TimeUnit.SECONDS.toNanos(1);

    private final Source source;
    private final Dialect dialect;
    private final Duration timeout;
    private final Ticker ticker;
    private final PriorityBlockingQueue<Task<?>> tasks = new PriorityBlockingQueue<>(
            16, Comparator.<Task<?>>comparingLong(Task::due).thenComparingLong(Task::number));
    private final AtomicLong numbers = new AtomicLong();
    private final long begun;
    private final Thread thread;
    private volatile boolean stopped;
    private final Duration kept;
    private volatile @Nullable Session session;
    private long usedAt;
    /** On the thread of the lane. */
    private long openedAt;

    private volatile boolean exchanging;

    Lane(String name, Source source, Dialect dialect, Duration timeout, Ticker ticker) {
        this(name, source, dialect, timeout, ticker, PoolSource.KEPT);
    }

    /** @param kept how long a connection of a pool is kept */
    Lane(String name, Source source, Dialect dialect, Duration timeout, Ticker ticker, Duration kept) {
        this.kept = kept;
        this.begun = ticker.nanos();
        this.source = source;
        this.dialect = dialect;
        this.timeout = timeout;
        this.ticker = ticker;
        this.thread = DaemonThreads.named(name).newThread(this::run);
        thread.start();
    }

    /**
     * What is executed first if several requests wait for the thread. A poll gives way to requests that come up to 50 ms later, and to
     * none after that: a busy process serves its waiters, too.
     */
    enum Priority {
        /** A renewal that comes too late loses a lease. */
        RENEWAL(-TimeUnit.DAYS.toNanos(1)),
        REQUEST(0),
        /** A waiter checks whether its lock is free. It is not repeated after a lock conflict: the waiter polls again later. */
        POLL(TimeUnit.MILLISECONDS.toNanos(50)),
        /** The end of the thread. */
        STOP(TimeUnit.DAYS.toNanos(1));

        private final long slack;

        Priority(long slack) {
            this.slack = slack;
        }
    }

    private record Task<T>(
            Priority priority,
            long number,
            long queued,
            Session.@Nullable Work<T> work,
            long since,
            CompletableFuture<T> answer) {

        /** On the clock of the lane. */
        long due() {
            return queued + priority.slack;
        }

        Task<T> again(long newNumber, long now) {
            return new Task<>(priority, newNumber, now, work, since, answer);
        }
    }

    <T> CompletableFuture<T> call(Priority priority, Session.Work<T> work) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Task<T> task = new Task<>(priority, numbers.getAndIncrement(), age(), work, ticker.nanos(), answer);
        tasks.add(task);
        if (stopped && tasks.remove(task)) {
            answer.completeExceptionally(closed());
        }
        return answer;
    }

    private SQLException noneFree() {
        return new SQLException("No connection to " + source.name() + " was free for " + timeout
                + ", or the database did not answer on it.");
    }

    /** Since this lane began, so that it can be compared. */
    private long age() {
        return ticker.nanos() - begun;
    }

    /** Nothing new from now on; what has been asked for is still done. */
    void stop() {
        stopped = true;
        tasks.add(new Task<>(
                Priority.STOP, numbers.getAndIncrement(), age(), null, ticker.nanos(), new CompletableFuture<>()));
    }

    /** Waits for the thread to end; a statement that does not return is cut off. */
    @Override
    public void close() {
        boolean interrupted = !joined(timeout.toMillis());
        Session open = session;
        if (thread.isAlive() && open != null) {
            try {
                open.connection().abort(Runnable::run);
            } catch (SQLException failure) {
                LOG.log(System.Logger.Level.DEBUG, "A connection could not be cut off", failure);
            }
            interrupted |= !joined(timeout.toMillis());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the connection is closed for good. */
    boolean isEnded() {
        return !thread.isAlive();
    }

    private boolean joined(long millis) {
        try {
            thread.join(millis);
            return true;
        } catch (InterruptedException interrupt) {
            return false;
        }
    }

    private void run() {
        try {
            openEarly();
            Task<?> task = next();
            while (task.work != null) {
                perform(task);
                task = next();
            }
        } catch (InterruptedException ended) {
            LOG.log(System.Logger.Level.WARNING, thread.getName() + " was interrupted and ends.");
        } finally {
            stopped = true;
            drop();
            refuseAll();
        }
    }

    /** A pool may have no connection left later. */
    private void openEarly() {
        if (source.isPool()) {
            try {
                session();
                usedAt = ticker.nanos();
            } catch (SQLException | RuntimeException failure) {
                LOG.log(System.Logger.Level.DEBUG, "A connection could not be opened yet", failure);
            }
        }
    }

    private Task<?> next() throws InterruptedException {
        if (!source.isPool()) {
            return tasks.take();
        }
        Task<?> task = null;
        while (task == null) {
            exchangeIfOld();
            task = tasks.poll(LOOK_AT_AGE, TimeUnit.NANOSECONDS);
        }
        return task;
    }

    private void refuseAll() {
        Task<?> task = tasks.poll();
        while (task != null) {
            task.answer.completeExceptionally(closed());
            task = tasks.poll();
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("The store was closed.");
    }

    private <T> void perform(Task<T> task) {
        try {
            if (isLate(task) && task.priority != Priority.POLL) {
                throw noneFree();
            }
            task.answer.complete(onSession(task));
        } catch (SQLException failure) {
            if (dialect.isCollision(failure) && task.priority != Priority.POLL && !isLate(task)) {
                tasks.add(task.again(numbers.getAndIncrement(), age()));
            } else {
                task.answer.completeExceptionally(failure);
            }
        } catch (Throwable failure) {
            task.answer.completeExceptionally(failure);
        }
    }

    private boolean isLate(Task<?> task) {
        return ticker.nanos() - task.since > timeout.toNanos();
    }

    @SuppressWarnings("NullAway") // the caller has looked
    private <T> T onSession(Task<T> task) throws SQLException {
        Session open = session();
        boolean kept = false;
        try {
            T result = task.work.on(open);
            kept = true;
            return result;
        } catch (SQLException failure) {
            // Where the transaction could not be begun or ended, the connection is of no use.
            kept = dialect.isCollision(failure) && open.connection().getAutoCommit();
            throw failure;
        } catch (RefusedException | LeaseTable.TooLate answer) {
            kept = open.connection().getAutoCommit();
            throw answer;
        } finally {
            usedAt = ticker.nanos();
            if (!kept) {
                discard();
            }
        }
    }

    private Session session() throws SQLException {
        Session open = session;
        if (open != null && ticker.nanos() - usedAt > IDLE && !open.connection().isValid(VALID_WITHIN_SECONDS)) {
            discard();
            open = null;
        }
        if (open == null) {
            open = source.open(timeout);
            session = open;
            openedAt = age();
        }
        return open;
    }

    /** It is in doubt. */
    private void discard() {
        Session open = session;
        session = null;
        if (open != null) {
            open.discard();
        }
    }

    private void drop() {
        Session open = session;
        session = null;
        if (open != null) {
            open.closeQuietly();
        }
    }

    /** Borrows another connection from the pool, on a thread of its own because the pool may have none, and returns this one. */
    private void exchangeIfOld() {
        Session open = session;
        if (open == null || exchanging || age() - openedAt <= kept.toNanos()) {
            return;
        }
        exchanging = true;
        try {
            DaemonThreads.named(thread.getName() + "-exchange")
                    .newThread(this::exchange)
                    .start();
        } catch (OutOfMemoryError noThread) {
            exchanging = false;
        }
    }

    private void exchange() {
        try {
            Session fresh = source.open(timeout);
            var unused = call(Priority.REQUEST, old -> exchanged(fresh)).whenComplete((done, failure) -> {
                exchanging = false;
                if (failure != null) {
                    fresh.closeQuietly();
                }
            });
        } catch (SQLException | RuntimeException | Error none) {
            LOG.log(
                    System.Logger.Level.INFO,
                    source.name() + ": a connection could not be exchanged for a fresh one (" + none.getMessage()
                            + "); locks keep the one that they have.");
            exchanging = false;
        }
    }

    /** On the thread of this lane. */
    private boolean exchanged(Session fresh) {
        Session old = session;
        session = fresh;
        openedAt = age();
        if (old != null) {
            old.closeQuietly();
        }
        return true;
    }
}
