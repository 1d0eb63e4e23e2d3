package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockedRun;
import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pause outlives the lease; the old holder writes over the new one, or beside it. */
class A10RedisFenceIT {

    private static final String STOCK = "stock:{apples}";
    private static final String SOLD_BY = "sold-by:{apples}";

    private static final LockOptions BRIEF = LockOptions.builder()
            .leaseTime(Duration.ofMillis(500))
            .renewal(LockOptions.Renewal.OFF)
            .build();

    private final RedisServer server = RedisServer.start();
    private final RedisClient client = RedisClient.create(server.url());
    private final StatefulRedisConnection<String, String> connection = client.connect();

    @AfterEach
    void stop() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
        server.close();
    }

    @Test
    void naiveWriteOfThePausedHolderWins() {
        pausedHolderWritesAfterItsSuccessor(
                lease -> connection.sync().set(STOCK, "successor"),
                lease -> connection.sync().set(STOCK, "paused"));

        assertThat(connection.sync().get(STOCK))
                .as("the successor's write is lost")
                .isEqualTo("paused");
    }

    @Test
    void fenceRejectsTheStaleToken() {
        RedisFence fence = RedisFence.on(connection);

        assertThatThrownBy(() -> pausedHolderWritesAfterItsSuccessor(
                        lease -> fence.of(lease).run(FencedWrites.set(STOCK, "successor")),
                        lease -> fence.of(lease).run(FencedWrites.set(STOCK, "paused"))))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("lock 'apples'");

        assertThat(connection.sync().get(STOCK)).isEqualTo("successor");
    }

    @Test
    void naiveMarkForEachKeyLetsThePausedHolderWriteTheOtherKey() {
        pausedHolderWritesAfterItsSuccessor(
                lease -> setWithAMarkForEachKey(STOCK, "successor", lease.token()),
                lease -> setWithAMarkForEachKey(SOLD_BY, "paused", lease.token()));

        assertThat(connection.sync().get(SOLD_BY))
                .as("written by an older token than the stock")
                .isEqualTo("paused");
    }

    @Test
    void fenceRejectsTheStaleTokenAtEveryKeyOfTheLock() {
        RedisFence fence = RedisFence.on(connection);
        List<LockedRun<Lease, RuntimeException>> lateWrites = List.of(
                lease -> fence.of(lease).run(FencedWrites.set(SOLD_BY, "paused")),
                lease -> fence.of(lease).run(FencedWrites.hset(SOLD_BY, "name", "paused")),
                lease -> fence.of(lease).run(FencedWrites.del(SOLD_BY)),
                lease -> fence.of(lease)
                        .run(FencedCommand.script("redis.call('SET', KEYS[1], 'paused')")
                                .keys(SOLD_BY)
                                .returningString()));

        for (LockedRun<Lease, RuntimeException> late : lateWrites) {
            assertThatThrownBy(() -> pausedHolderWritesAfterItsSuccessor(
                            lease -> fence.of(lease).run(FencedWrites.set(STOCK, "successor")), late))
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.lockName()).isEqualTo("apples"));
        }

        assertThat(connection.sync().exists(SOLD_BY)).isZero();
    }

    /** What is not enough: check and write are one script, but every key has a separate mark. */
    private void setWithAMarkForEachKey(String key, String value, long token) {
        Long written = connection
                .sync()
                .eval("""
                        local newest = redis.call('GET', KEYS[2])
                        if newest and tonumber(ARGV[2]) < tonumber(newest) then return 0 end
                        redis.call('SET', KEYS[2], ARGV[2])
                        redis.call('SET', KEYS[1], ARGV[1])
                        return 1""", ScriptOutputType.INTEGER, new String[] {key, "mark:" + key}, value, Long.toString(token));
        assertThat(written).isEqualTo(1);
    }

    /** To the store a pause is nothing but a lease that is not renewed. */
    private static void pausedHolderWritesAfterItsSuccessor(
            LockedRun<Lease, RuntimeException> successorsWrite, LockedRun<Lease, RuntimeException> lateWrite) {
        String url = "memory:a10-" + UUID.randomUUID();
        try (Holdfast paused = Holdfast.connect(url);
                Holdfast other = Holdfast.connect(url)) {
            Lease old = paused.lock("apples", BRIEF).acquire();
            other.lock("apples").run(successorsWrite);
            lateWrite.run(old);
        }
    }
}
