package io.holdfast.lab;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.TimeoutException;

/**
 * Broken: an {@link IncrLock}, released in {@code finally}. A customer who timed out gets there too, and
 * releases the lock of the current holder.
 */
final class IncrLockShop implements Shop {

    private final StatefulRedisConnection<String, String> connection;
    private final IncrLock lock;
    private final AppleStock stock;

    IncrLockShop(CountedClient redis, AppleStock stock) {
        this.connection = redis.client().connect();
        this.lock = new IncrLock(connection.sync());
        this.stock = stock;
    }

    @Override
    public boolean sell(int apples) throws TimeoutException {
        try {
            lock.acquire("incr:apples", Strategy.EXPIRY, Strategy.PATIENCE);
            return stock.transact(transaction -> transaction.take(apples));
        } finally {
            lock.release("incr:apples");
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
