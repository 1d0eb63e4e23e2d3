package io.holdfast.redis;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Tries, and tries again whenever a message says that the key was released; from the articles. */
final class NaivePubSubLock {

    private static final String CHANNEL = "distributedLockChannel";

    private final StatefulRedisConnection<String, String> connection;
    private final BlockingQueue<String> released = new LinkedBlockingQueue<>();

    NaivePubSubLock(
            StatefulRedisConnection<String, String> connection,
            StatefulRedisPubSubConnection<String, String> messages) {
        this.connection = connection;
        messages.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String key) {
                released.add(key);
            }
        });
        messages.sync().subscribe(CHANNEL);
    }

    boolean acquire(String key, String owner, Duration lease, Duration maxWait) throws InterruptedException {
        long deadline = System.nanoTime() + maxWait.toNanos();
        while (true) {
            if ("OK"
                    .equals(connection
                            .sync()
                            .set(key, owner, SetArgs.Builder.nx().px(lease.toMillis())))) {
                return true;
            }
            if (released.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS) == null) {
                return false;
            }
        }
    }

    void release(String key) {
        connection.sync().del(key);
        connection.sync().publish(CHANNEL, key);
    }
}
