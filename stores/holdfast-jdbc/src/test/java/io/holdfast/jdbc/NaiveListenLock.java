package io.holdfast.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Tries, and retries when a notification says that a lock was released. */
final class NaiveListenLock implements AutoCloseable {

    private static final long CONNECT_AGAIN_MILLIS = 20;

    private final String url;
    private final Sql sql;
    private final NaiveTableLock table;
    private Sql messages;

    NaiveListenLock(String url) {
        this.url = url;
        this.sql = Sql.at(url);
        this.table = new NaiveTableLock(sql);
        this.messages = listening(url);
    }

    private static Sql listening(String url) {
        Sql messages = Sql.at(url);
        messages.update("LISTEN released");
        return messages;
    }

    boolean acquire(String name, Duration lease, Duration maxWait) throws InterruptedException {
        long deadline = System.nanoTime() + maxWait.toNanos();
        while (!table.tryAcquire(name, lease)) {
            if (!notified(deadline)) {
                return false;
            }
        }
        return true;
    }

    private boolean notified(long deadline) throws InterruptedException {
        while (true) {
            int left = (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            try {
                PGNotification[] words =
                        messages.connection().unwrap(PGConnection.class).getNotifications(left);
                if (words != null && words.length > 0) {
                    return true;
                }
            } catch (SQLException dropped) {
                connectAgain();
            }
        }
    }

    private void connectAgain() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(CONNECT_AGAIN_MILLIS);
        try {
            messages = listening(url);
        } catch (IllegalStateException refused) {
            // The next call finds the connection broken, and retries.
        }
    }

    /** How often waiters have polled. */
    int polls() {
        return table.polls();
    }

    void release(String name) {
        table.release(name);
        sql.update("NOTIFY released");
    }

    @Override
    public void close() {
        sql.close();
        messages.close();
    }
}
