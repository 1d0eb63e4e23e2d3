package io.holdfast.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Polls every 100 ms until it succeeds; from the articles. */
final class NaiveSpinLock {

    private static final long SPIN_MILLIS = 100;

    private final Sql sql;
    private final AtomicInteger polls = new AtomicInteger();

    NaiveSpinLock(Sql sql) {
        this.sql = sql;
    }

    static void create(Sql sql, String name) {
        sql.update("CREATE TABLE IF NOT EXISTS spin_locks (name VARCHAR(100) PRIMARY KEY, expires_at BIGINT)");
        sql.update("INSERT INTO spin_locks VALUES (?, 0)", name);
    }

    boolean tryAcquire(String name, Duration lease) {
        long now = System.currentTimeMillis();
        polls.incrementAndGet();
        return sql.update(
                        "UPDATE spin_locks SET expires_at = ? WHERE name = ? AND expires_at < ?",
                        now + lease.toMillis(),
                        name,
                        now)
                == 1;
    }

    boolean acquire(String name, Duration lease, Duration maxWait) throws InterruptedException {
        for (long elapsed = 0; elapsed < maxWait.toMillis(); elapsed += SPIN_MILLIS) {
            if (tryAcquire(name, lease)) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(SPIN_MILLIS);
        }
        return false;
    }

    /** How often waiters have polled. */
    int polls() {
        return polls.get();
    }
}
