package io.holdfast.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;

/** The connection that the naive locks of these tests go by. It is not opened again when it is cut, as a process that died. */
final class NaiveClient implements AutoCloseable {

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    NaiveClient(String url) {
        client = RedisClient.create(url);
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
        connection = client.connect();
    }

    StatefulRedisConnection<String, String> connection() {
        return connection;
    }

    RedisCommands<String, String> redis() {
        return connection.sync();
    }

    StatefulRedisPubSubConnection<String, String> messages() {
        return client.connectPubSub();
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
}
