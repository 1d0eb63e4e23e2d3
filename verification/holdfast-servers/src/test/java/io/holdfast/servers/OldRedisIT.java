package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OldRedisIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void oldServerRuns() {
        skipIf(OldRedis.obstacle());
        try (RedisServer redis = OldRedis.start("maxmemory 10mb");
                RespClient client = redis.client()) {
            assertThat(client.field("redis_version", "INFO", "server")).startsWith("6.2.");
        }
    }

    @Test
    void clockIsSetForwardAndBack() {
        skipIf(OldRedis.obstacle());
        skipIf(ServerClock.obstacle());
        try (ServerClock clock = ServerClock.create();
                RedisServer redis = OldRedis.start(clock);
                RespClient client = redis.client()) {
            client.call("SET", "a", "1", "PX", "600000");
            client.call("SET", "b", "1", "PX", "7200000");

            clock.step(Duration.ofHours(1));
            Await.until(LIMIT, () -> client.call("GET", "a") == null, () -> "not expired");
            assertThat(client.number("PTTL", "b")).isBetween(1L, 3_600_000L);

            clock.step(Duration.ofHours(-2));
            Await.until(LIMIT, () -> client.number("PTTL", "b") > 7_200_000, () -> "not set back");
            assertThat(clock.offset()).isEqualTo(Duration.ofHours(-1));
        }
    }

    private static void skipIf(Optional<String> obstacle) {
        assumeTrue(obstacle.isEmpty(), () -> "skipped: " + obstacle.orElseThrow());
    }
}
