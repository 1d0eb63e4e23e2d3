package io.holdfast.samples;

// region own-client
// region fence-alone
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.redis.FencedCommand;
import io.holdfast.redis.FencedWriter;
import io.holdfast.redis.RedisFence;
import io.holdfast.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
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

    /** The connection to the data, which may be on another server than the locks. */
    public static StatefulRedisConnection<String, String> connect(RedisClient client) {
        // region fence-alone
        // region fence
        // client = RedisClient.create("redis://localhost:6379"); one client and one connection for all threads
        StatefulRedisConnection<String, String> connection = client.connect();
        // endregion
        // endregion
        return connection;
    }

    /** Sells from a stock that is kept in Redis, unless a later holder of the lock has written. */
    public static long sell(
            DistributedLock lock, StatefulRedisConnection<String, String> connection, String clerk, int apples) {
        // region fence-alone
        // region fence
        RedisFence fence = RedisFence.on(connection);
        String stock = RedisFence.key("apples", "stock"); // stock:{apples}
        String soldBy = RedisFence.key("apples", "sold-by");
        return lock.call(lease -> {
            FencedWriter redis = fence.of(lease); // rejects the token once a later holder has written
            redis.run(FencedCommand.of("HSET").keys(soldBy).args("clerk", clerk));
            return redis.run(FencedCommand.of("DECRBY")
                    .keys(stock)
                    .args(String.valueOf(apples))
                    .returningLong());
        });
        // endregion
        // endregion
    }

    /** Sells as many apples as there are, by a script. */
    public static long sellAll(RedisFence fence, Lease lease, String stock, String sold) {
        // region fence-script
        FencedCommand<Long> sellAll =
                FencedCommand.script("""
                        local apples = tonumber(redis.call('GETSET', KEYS[1], 0) or 0)
                        redis.call('INCRBY', KEYS[2], apples)
                        return apples
                        """).keys(stock, sold).returningLong();
        return fence.of(lease).run(sellAll); // check and script are one atomic step
        // endregion
    }
}
