package io.holdfast.jdbc;

import io.holdfast.spi.Complaints;
import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Moment;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Receives notifications on a dedicated connection, from the first time that a claim has to wait. A notification that is lost costs
 * time only: waiters poll every second anyway.
 */
final class Listening implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());
    private static final int WAIT_MILLIS = 1_000;
    private static final int UNREAD_MILLIS = 10_000;

    /** A connection on which nothing came for so long is tried. */
    private static final long SILENCE = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE = TimeUnit.SECONDS.toMillis(1);

    private final Source source;
    private final String channel;
    private final Duration timeout;
    private final Environment environment;
    private final LeaseTable table;
    private final Complaints complaints;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Connection connection;

    Listening(
            String store, Source source, String channel, Duration timeout, Environment environment, LeaseTable table) {
        this.source = source;
        this.channel = channel;
        this.timeout = timeout;
        this.environment = environment;
        this.table = table;
        this.complaints = new Complaints(LOG, store, environment.ticker());
        this.thread = DaemonThreads.named("holdfast-jdbc-listen").newThread(this::run);
    }

    /** Listens from now on. */
    void begin() {
        if (!begun.get() && begun.compareAndSet(false, true) && !closed) {
            thread.start();
        }
    }

    private void run() {
        while (!closed) {
            try (Session opened = source.open(timeout)) {
                connection = opened.connection();
                opened.connection().setNetworkTimeout(Runnable::run, Dialect.limitFor(timeout));
                listen(opened);
            } catch (SQLException | RuntimeException failure) {
                if (!closed) {
                    complaints.say("The LISTEN connection was lost (" + failure.getMessage()
                            + "). Waiters poll every second until it is re-established.");
                    pause();
                }
            } finally {
                connection = null;
            }
        }
    }

    /** A connection of a pool is returned from time to time. */
    private boolean isOld(long since) {
        return source.isPool() && environment.ticker().nanos() - since > PoolSource.KEPT.toNanos();
    }

    private void listen(Session session) throws SQLException {
        Connection opened = session.connection();
        try (Statement statement = opened.createStatement()) {
            // A process that is stopped does not read: the server shall close the connection before its queue of
            // notifications,
            // and what vacuum may remove, wait for that process.
            statement.execute("SET tcp_user_timeout = " + UNREAD_MILLIS);
            statement.execute("LISTEN \"" + channel + "\"");
            table.resumed();
            PGConnection listening = opened.unwrap(PGConnection.class);
            long since = environment.ticker().nanos();
            long heardAt = since;
            while (!closed && !isOld(since)) {
                PGNotification[] received = listening.getNotifications(WAIT_MILLIS);
                if (received != null && received.length > 0) {
                    heardAt = environment.ticker().nanos();
                    Moment at = environment.ticker().now();
                    for (PGNotification notification : received) {
                        Handover handover = Handover.parse(notification.getParameter());
                        if (handover != null) {
                            table.heard(handover, at);
                        }
                    }
                } else if (environment.ticker().nanos() - heardAt > SILENCE) {
                    statement.execute("SELECT 1");
                    heardAt = environment.ticker().nanos();
                }
            }
        }
    }

    private void pause() {
        try {
            thread.join(PAUSE);
        } catch (InterruptedException ended) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        if (!begun.getAndSet(true)) {
            return;
        }
        Connection open = connection;
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException failure) {
                LOG.log(System.Logger.Level.DEBUG, "A connection could not be cut off", failure);
            }
        }
        thread.interrupt();
        try {
            thread.join(timeout.toMillis());
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
