package io.holdfast.lab;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Broken: the lock is correct, but it is released inside the transaction. The next customer acquires it before the commit. */
final class AdvisoryLockShop implements Shop {

    private final String url;
    private final AppleStock stock;

    AdvisoryLockShop(String url, AppleStock stock) {
        this.url = url;
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) {
        return stock.transact(transaction -> {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_lock(42)");
                boolean sold = transaction.take(apples);
                statement.execute("SELECT pg_advisory_unlock(42)");
                return sold;
            } catch (SQLException failure) {
                throw new IllegalStateException(failure);
            }
        });
    }

    @Override
    public int left() {
        return stock.left();
    }
}
