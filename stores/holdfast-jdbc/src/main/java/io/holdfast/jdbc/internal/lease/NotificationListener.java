package io.holdfast.jdbc.internal.lease;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.connection.ConnectionRefresher;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.DataSourceConnectionSource;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.queue.NotificationMessage;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Moment;
import io.holdfast.spi.support.DaemonThreads;
import io.holdfast.spi.support.RateLimitedLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Receives notifications of PostgreSQL on a dedicated connection ({@code LISTEN}), from the first time that a claim has to wait. A
 * notification that is lost costs time only: waiters poll every second anyway.
 */
public final class NotificationListener implements AutoCloseable {

    private static final System.Logger LOG = StoreLog.LOGGER;
    private static final String THREAD = "holdfast-jdbc-listen";
    private static final int WAIT_MILLIS = 1_000;
    private static final int TCP_USER_TIMEOUT_MILLIS = 10_000;

    /** A connection on which nothing was received for so long is checked: it may be half-open. */
    private static final long CHECK_AFTER = TimeUnit.SECONDS.toNanos(5);

    private static final long RETRY_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final ConnectionSource source;
    private final String channel;
    private final Duration timeout;
    private final Environment environment;
    private final Handler handler;
    private final RateLimitedLog warnings;
    private final AtomicBoolean started = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Session session;

    /** Used by the thread, as {@link #fresh} is. */
    private final ConnectionRefresher refresher;

    /** The connection that replaces the present one, and receives notifications already. */
    private @Nullable Session fresh;

    /** Gets what is received, on the thread of the listener. */
    interface Handler {

        /** Notifications are received from now on. Some may have been lost before, and the database may be another server. */
        void connected();

        void received(NotificationMessage message, Moment at);
    }

    NotificationListener(
            String store,
            ConnectionSource source,
            String channel,
            Duration timeout,
            Environment environment,
            Handler handler) {
        this.source = source;
        this.channel = channel;
        this.timeout = timeout;
        this.environment = environment;
        this.handler = handler;
        this.warnings = RateLimitedLog.ofStore(LOG, store, environment.ticker());
        this.refresher = new ConnectionRefresher(
                source, THREAD, this::open, environment.ticker(), DataSourceConnectionSource.MAX_LIFETIME);
        this.thread = DaemonThreads.named(THREAD).newThread(this::run);
    }

    /** Starts the thread, if it is not started yet. */
    void start() {
        if (!started.get() && started.compareAndSet(false, true) && !closed) {
            thread.start();
        }
    }

    private void run() {
        while (!closed) {
            fresh = fresh == null ? refresher.await() : fresh;
            try (Session opened = fresh == null ? open() : fresh) {
                fresh = null;
                session = opened;
                listen(opened);
            } catch (SQLException | RuntimeException | Error failure) {
                if (!closed) {
                    warnings.warn(() -> "LISTEN connection to PostgreSQL lost (" + failure
                            + "); waiters poll every second until it is re-established. No lease is affected.");
                    waitBeforeRetry();
                }
            } finally {
                session = null;
            }
        }
        if (fresh != null) {
            fresh.close();
        }
        refresher.close();
    }

    /** A connection that receives notifications from now on. */
    private Session open() throws SQLException {
        Session opened = source.open(timeout);
        try {
            // A process that is stopped does not read: the server has to close the connection before its queue of
            // notifications and vacuum wait for that process.
            Dialect.execute(opened.connection(), "SET tcp_user_timeout = " + TCP_USER_TIMEOUT_MILLIS);
            Dialect.execute(opened.connection(), "LISTEN \"" + channel + "\"");
            return opened;
        } catch (SQLException | RuntimeException | Error failure) {
            opened.discard();
            throw failure;
        }
    }

    private void listen(Session opened) throws SQLException {
        handler.connected();
        PGConnection postgres = opened.connection().unwrap(PGConnection.class);
        long receivedAt = environment.ticker().nanos();
        refresher.refreshed();
        // The present connection is read until the fresh one listens; what comes in between is found by the polls that
        // connected() starts.
        while (!closed && fresh == null) {
            PGNotification[] received = postgres.getNotifications(WAIT_MILLIS);
            if (received != null && received.length > 0) {
                receivedAt = environment.ticker().nanos();
                Moment at = environment.ticker().now();
                for (PGNotification notification : received) {
                    NotificationMessage message = NotificationMessage.parse(notification.getParameter());
                    if (message != null) {
                        handler.received(message, at);
                    }
                }
            } else if (environment.ticker().nanos() - receivedAt > CHECK_AFTER) {
                Dialect.execute(opened.connection(), "SELECT 1");
                receivedAt = environment.ticker().nanos();
            }
            fresh = refresher.poll();
        }
    }

    private void waitBeforeRetry() {
        try {
            thread.join(RETRY_MILLIS);
        } catch (InterruptedException ended) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        if (!started.getAndSet(true)) {
            return;
        }
        Session open = session;
        if (open != null) {
            open.abort();
        }
        thread.interrupt();
        try {
            thread.join(timeout.toMillis());
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
