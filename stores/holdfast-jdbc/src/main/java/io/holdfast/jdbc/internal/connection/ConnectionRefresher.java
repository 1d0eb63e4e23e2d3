package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DaemonThreads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Borrows a fresh connection from a pool to replace one that was kept for its maximum lifetime. It borrows on a separate thread, because the
 * pool may be exhausted. Used by the thread that has the connection.
 */
public final class ConnectionRefresher {

    private static final System.Logger LOG = StoreLog.LOGGER;

    /** When to retry an exchange for which the pool had no connection. */
    private static final long RETRY = TimeUnit.MINUTES.toNanos(1);

    private final ConnectionSource source;
    private final String user;
    private final Opener opener;
    private final Ticker ticker;
    private final long maxLifetime;
    private CompletableFuture<@Nullable Session> fresh = CompletableFuture.completedFuture(null);
    private long dueAt;
    private volatile boolean closed;
    /** Whether it was logged already that the pool has none. */
    private volatile boolean isFailureLogged;

    /** Borrows a connection and prepares it for its work. */
    @FunctionalInterface
    public interface Opener {
        Session open() throws SQLException;
    }

    /**
     * Refreshes one connection.
     *
     * @param user the name of the thread that has the connection, for the log
     * @param maxLifetime how long it is kept
     */
    public ConnectionRefresher(
            ConnectionSource source, String user, Opener opener, Ticker ticker, Duration maxLifetime) {
        this.source = source;
        this.user = user;
        this.opener = opener;
        this.ticker = ticker;
        this.maxLifetime = maxLifetime.toNanos();
        refreshed();
    }

    /** The present connection is a fresh one from now on. */
    public void refreshed() {
        dueAt = ticker.nanos() + maxLifetime;
    }

    /** The connection that was borrowed in exchange for the present one; null if there is none, or the present one is not old. */
    @Nullable
    public Session poll() {
        Session borrowed = fresh.getNow(null);
        if (borrowed != null) {
            fresh = CompletableFuture.completedFuture(null);
            isFailureLogged = false;
        } else if (source.isPool() && fresh.isDone() && ticker.nanos() - dueAt > 0) {
            dueAt = ticker.nanos() + RETRY;
            borrow();
        }
        return borrowed;
    }

    /**
     * Waits for the connection that is being borrowed; null if none is. For a thread that has lost its connection: the pool may have no other
     * one.
     */
    @Nullable
    public Session await() {
        Session borrowed = fresh.join();
        fresh = CompletableFuture.completedFuture(null);
        return borrowed;
    }

    private void borrow() {
        CompletableFuture<@Nullable Session> answer = new CompletableFuture<>();
        try {
            DaemonThreads.named(user + "-exchange")
                    .newThread(() -> answer.complete(openIfThereIsOne()))
                    .start();
            fresh = answer;
        } catch (OutOfMemoryError noThread) {
            log(noThread);
        }
    }

    private @Nullable Session openIfThereIsOne() {
        try {
            return opener.open();
        } catch (SQLException | RuntimeException | Error none) {
            log(none);
            return null;
        }
    }

    private void log(Throwable none) {
        LOG.log(
                isFailureLogged || closed ? System.Logger.Level.DEBUG : System.Logger.Level.INFO,
                source.name() + ": the connection of " + user + " could not be exchanged for a fresh one ("
                        + none
                        + "). It is kept and still used; the exchange is retried every minute. If the pool is exhausted, raise its size.");
        isFailureLogged = true;
    }

    /** The connection that is being borrowed goes back to the pool. */
    public void close() {
        closed = true;
        var unused = fresh.thenAccept(session -> {
            if (session != null) {
                session.close();
            }
        });
    }
}
