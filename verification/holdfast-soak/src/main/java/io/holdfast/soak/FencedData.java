package io.holdfast.soak;

import io.holdfast.StaleTokenException;
import io.holdfast.redis.FencedCommand;
import io.holdfast.redis.RedisFence;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;

/** Behind a {@link RedisFence}, on a server that nothing happens to. */
final class FencedData implements Data {

    private final RedisClient client;
    private final RedisFence fence;

    private FencedData(RedisClient client, StatefulRedisConnection<String, String> connection) {
        this.client = client;
        this.fence = RedisFence.on(connection);
    }

    static FencedData at(String url) {
        RedisClient client = RedisClient.create(url);
        StatefulRedisConnection<String, String> connection = client.connect();
        // A busy machine is no reason for not knowing what became of a write.
        connection.setTimeout(Duration.ofSeconds(30));
        return new FencedData(client, connection);
    }

    /** Looking raises the fence: a write of somebody earlier that came after it would not have been seen. */
    @Override
    public long look(String name, long token) {
        try {
            return fence.of(name, token).run(FencedCommand.of("LLEN").keys(name).returningLong());
        } catch (StaleTokenException stale) {
            return -1;
        }
    }

    @Override
    public boolean append(String name, FencedWrites.Entry entry) {
        try {
            fence.of(name, entry.token())
                    .run(FencedCommand.of("RPUSH").keys(name).args(entry.text()));
            return true;
        } catch (StaleTokenException stale) {
            return false;
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
}
