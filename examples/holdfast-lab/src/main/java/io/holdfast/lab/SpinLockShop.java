package io.holdfast.lab;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.TimeoutException;

/** Unfair and noisy: a {@link SpinLock} around the whole transaction. */
final class SpinLockShop implements Shop {

    private final StatefulRedisConnection<String, String> connection;
    private final SpinLock lock;
    private final AppleStock stock;

    SpinLockShop(CountedClient redis, AppleStock stock) {
        this.connection = redis.client().connect();
        this.lock = new SpinLock(connection.sync());
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) throws TimeoutException {
        String value = lock.acquire("spin:apples", Strategy.EXPIRY, Strategy.PATIENCE);
        try {
            return stock.transact(transaction -> transaction.take(apples));
        } finally {
            lock.release("spin:apples", value);
        }
    }

    @Override
    public int left() {
        return stock.left();
    }

    @Override
    public void close() {
        connection.close();
    }
}
