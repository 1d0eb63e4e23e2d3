package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Locks;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.UUID;
import java.util.concurrent.Semaphore;

/** The one message that a hand-off cannot do without: who releases publishes it, and wakes a thread elsewhere. No lock. */
final class BareMessages implements Locks {

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    BareMessages(int port) {
        client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        connection = client.connect();
    }

    @Override
    public Guard guard(String name) {
        return new MessageGuard(name, connection, client.connectPubSub());
    }

    private static final class MessageGuard extends RedisPubSubAdapter<String, String> implements Guard {

        private final String name;
        private final StatefulRedisConnection<String, String> connection;
        private final String own = UUID.randomUUID().toString();
        private final Semaphore heard = new Semaphore(0);

        MessageGuard(
                String name,
                StatefulRedisConnection<String, String> connection,
                StatefulRedisPubSubConnection<String, String> ear) {
            this.name = name;
            this.connection = connection;
            ear.addListener(this);
            ear.sync().subscribe(name);
        }

        /** The first of all begins; everybody else waits for a message. */
        @Override
        public void acquire() {
            if (connection.sync().set(name, own, SetArgs.Builder.nx()) == null) {
                heard.acquireUninterruptibly();
            }
        }

        @Override
        public void release() {
            connection.sync().publish(name, own);
        }

        @Override
        public void message(String channel, String from) {
            if (!from.equals(own)) {
                heard.release();
            }
        }
    }
}
