package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.ChildProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A pause outlives the lease; the old holder writes over the new one. */
class A10PausedHolderIT {

    @Test
    void pausedHolderOverwritesPlainDataAndIsRejectedByTheFence() {
        try (RedisServer server = RedisServer.start();
                Holdfast holdfast = Holdfast.connect(server.url());
                ChildProcess paused = LockingProcess.start(server.url(), "room", Duration.ofSeconds(1), "held");
                RespClient data = server.client()) {
            paused.pause();

            Lease successor = holdfast.lock("room").acquire(Eventually.LIMIT);
            RedisClient client = RedisClient.create(server.url());
            try (client;
                    StatefulRedisConnection<String, String> connection = client.connect()) {
                data.call("SET", LockingProcess.PLAIN_DATA, "successor");
                RedisFence.on(connection).of(successor).run(FencedWrites.set(LockingProcess.FENCED_DATA, "successor"));
                paused.resume();
                Eventually.holds(
                        "the paused one has finished", () -> paused.log().contains("released"));
            }

            assertThat(data.text("GET", LockingProcess.PLAIN_DATA))
                    .as("naive: the successor's booking is lost")
                    .isEqualTo("paused");
            assertThat(data.text("GET", LockingProcess.FENCED_DATA)).isEqualTo("successor");
            assertThat(paused.log())
                    .contains("lost", "rejected", "released false")
                    .doesNotContain("written");
            assertThat(successor.release()).isTrue();
        }
    }
}
