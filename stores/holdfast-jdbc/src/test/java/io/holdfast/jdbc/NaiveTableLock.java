package io.holdfast.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A row is inserted, gets its expiry afterwards, and is deleted by its name; waiters use exponential backoff. */
final class NaiveTableLock {

    /** Begins the states for what is there already. */
    private static final String DUPLICATE = "23";

    private static final int SQLITE_CONSTRAINT = 19;

    private final Sql sql;
    private final Runnable between;
    private final AtomicInteger polls = new AtomicInteger();

    NaiveTableLock(Sql sql) {
        this(sql, () -> {});
    }

    /** {@code between} is executed after the row is inserted and before it has an expiry. */
    NaiveTableLock(Sql sql, Runnable between) {
        this.sql = sql;
        this.between = between;
        sql.update("CREATE TABLE IF NOT EXISTS locks (name VARCHAR(100) PRIMARY KEY, expires_at BIGINT)");
    }

    boolean acquire(String name, Duration lease, Duration maxWait, Duration firstSleep) throws InterruptedException {
        boolean got = tryAcquire(name, lease);
        long elapsed = 0;
        long sleep = firstSleep.toMillis();
        while (!got && elapsed < maxWait.toMillis()) {
            TimeUnit.MILLISECONDS.sleep(sleep);
            elapsed += sleep;
            sleep = Math.min(sleep * 2, maxWait.toMillis() - elapsed + 1);
            got = tryAcquire(name, lease);
        }
        return got;
    }

    boolean tryAcquire(String name, Duration lease) {
        sql.update("DELETE FROM locks WHERE name = ? AND expires_at < ?", name, System.currentTimeMillis());
        boolean got = inserted(name);
        polls.incrementAndGet();
        if (got) {
            between.run();
            sql.update(
                    "UPDATE locks SET expires_at = ? WHERE name = ?",
                    System.currentTimeMillis() + lease.toMillis(),
                    name);
        }
        return got;
    }

    private boolean inserted(String name) {
        try {
            return sql.tryUpdate("INSERT INTO locks (name) VALUES (?)", name) == 1;
        } catch (SQLException failure) {
            if (String.valueOf(failure.getSQLState()).startsWith(DUPLICATE)
                    || failure.getErrorCode() == SQLITE_CONSTRAINT) {
                return false;
            }
            throw new IllegalStateException(failure);
        }
    }

    /** How often waiters have polled. */
    int polls() {
        return polls.get();
    }

    void release(String name) {
        sql.update("DELETE FROM locks WHERE name = ?", name);
    }
}
