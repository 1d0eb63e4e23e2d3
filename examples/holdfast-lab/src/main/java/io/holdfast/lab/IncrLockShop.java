package io.holdfast.lab;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.TimeoutException;

/**
 * Broken: an {@link IncrLock}, released in {@code finally}. A customer who has waited in vain goes through there too, and
 * takes the lock away from whoever has it.
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
