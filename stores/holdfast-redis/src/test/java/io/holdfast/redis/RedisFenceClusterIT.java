package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisFenceClusterIT {

    private static RedisCluster cluster;
    private static RedisClusterClient client;
    private static StatefulRedisClusterConnection<String, String> connection;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
        client = RedisClusterClient.create(cluster.nodes().get(0).url());
        connection = client.connect();
    }

    @AfterAll
    static void stop() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
        cluster.close();
    }

    @Test
    void marksAreWhereTheDataAreHoweverTheKeysLook() {
        RedisFence fence = RedisFence.on(connection);
        long now = System.currentTimeMillis() * 1_000;
        List<String> keys =
                new ArrayList<>(List.of("a{b}c", "{}x", "}{", "{", "}", "a{b", "a}b", "{}", "{{a}}", "x{}{y}", "치킨}"));
        for (int i = 0; i < 100; i++) {
            keys.add("room:" + i);
        }
        for (String key : keys) {
            fence.set(key, "later", now);

            assertThatThrownBy(() -> fence.set(key, "late", now - 1)).as(key).isInstanceOf(StaleTokenException.class);
            assertThat(connection.sync().get(key)).isEqualTo("later");
        }

        for (RedisServer node : cluster.nodes()) {
            try (RespClient each = node.client()) {
                assertThat(each.call("SCRIPT", "FLUSH")).isEqualTo("OK");
            }
        }
        for (String key : keys) {
            assertThat(fence.del(key, now + 1))
                    .as("%s is deleted by a script that its node has to learn", key)
                    .isTrue();
        }
    }
}
