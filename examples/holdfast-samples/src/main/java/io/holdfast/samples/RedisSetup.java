package io.holdfast.samples;

// region own-client
// region fence-alone
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.redis.FencedCommands;
import io.holdfast.redis.RedisFence;
import io.holdfast.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
// endregion
// endregion

/** Locks on Redis with a client that the application has already, and a fence for data beside them. */
public final class RedisSetup {

    private RedisSetup() {}

    /** With settings that a URL does not have. */
    public static Holdfast onOwnClient(RedisClient client) {
        // region own-client
        Holdfast holdfast = Holdfast.builder(RedisStore.on(client)
                        .keyPrefix("orders:locks")
                        .retention(Duration.ofHours(2))
                        .timeout(Duration.ofSeconds(1)))
                .label("orders")
                .build();
        // endregion
        return holdfast;
    }

    /** Sells from a stock that is kept in Redis, unless a later holder has been there. */
    public static long sell(
            DistributedLock lock, StatefulRedisConnection<String, String> connection, String clerk, int apples) {
        // region fence-alone
        // region fence
        RedisFence fence = RedisFence.on(connection);
        String stock = RedisFence.key("apples", "stock"); // stock:{apples}
        String soldBy = RedisFence.key("apples", "sold-by");
        return lock.call(lease -> {
            FencedCommands redis = fence.of(lease);
            String script = "return redis.call('DECRBY', KEYS[1], ARGV[1])";
            Long left = redis.run(script, ScriptOutputType.INTEGER, List.of(stock), String.valueOf(apples));
            redis.set(soldBy, clerk);
            return left;
        });
        // endregion
        // endregion
    }
}
