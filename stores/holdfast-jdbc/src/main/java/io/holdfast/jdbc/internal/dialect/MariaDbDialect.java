package io.holdfast.jdbc.internal.dialect;

import java.time.Duration;
import java.util.Properties;

/** MariaDB: as MySQL, but the statement that acquires a name also returns the row. */
final class MariaDbDialect extends MySqlDialect {

    @Override
    public String acquire() {
        return super.acquire() + " RETURNING " + columns();
    }

    @Override
    String idleSeconds() {
        return "idle_transaction_timeout";
    }

    @Override
    long longestIdle(long seconds) {
        return Math.max(1, seconds);
    }

    @Override
    public boolean acquireReturnsRow() {
        return true;
    }

    /** The statements are few and long, so the server parses them once. Options in the URL have precedence. */
    @Override
    public void connectionProperties(Properties properties, Duration timeout) {
        super.connectionProperties(properties, timeout);
        properties.setProperty("useServerPrepStmts", "true");
    }
}
