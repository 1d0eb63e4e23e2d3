package io.holdfast.lab;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeoutException;

/**
 * A home-made lock: the client that inserts the row holds it, the others poll every 100 ms. A waiter acquires it only if it
 * polls while the lock is free; a release notifies no waiter; and every failed poll is an error in the log of the server.
 */
final class InsertLockShop implements Shop {

    private static final long PAUSE_MILLIS = 100;

    private final String url;
    private final AppleStock stock;

    InsertLockShop(String url, AppleStock stock) {
        this.url = url;
        this.stock = stock;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS home_made_lock (name text PRIMARY KEY)");
            statement.execute("DELETE FROM home_made_lock");
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public boolean sell(int apples) throws TimeoutException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            acquire(statement);
            try {
                return stock.transact(transaction -> transaction.take(apples));
            } finally {
                statement.execute("DELETE FROM home_made_lock WHERE name = 'apples'");
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void acquire(Statement statement) throws TimeoutException {
        long elapsed = 0;
        while (!inserted(statement)) {
            if (elapsed >= Strategy.PATIENCE.toMillis()) {
                throw new TimeoutException("Timed out waiting for apples within " + Strategy.PATIENCE);
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw new TimeoutException("interrupted");
            }
            elapsed += PAUSE_MILLIS;
        }
    }

    private static boolean inserted(Statement statement) {
        try {
            return statement.executeUpdate("INSERT INTO home_made_lock VALUES ('apples')") == 1;
        } catch (SQLException held) {
            return false;
        }
    }

    @Override
    public int left() {
        return stock.left();
    }
}
