package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisClusterIT {

    private static RedisCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @Test
    void slotsAreSpreadOverAllNodes() {
        assertThat(cluster.nodes()).hasSize(3);
        assertThat(cluster.url()).matches("redis-cluster://(127\\.0\\.0\\.1:\\d+,?){3}");
        assertThat(cluster.nodeOf(0)).isSameAs(cluster.nodes().get(0));
        assertThat(cluster.nodeOf(RedisCluster.SLOTS / 2))
                .isSameAs(cluster.nodes().get(1));
        assertThat(cluster.nodeOf(RedisCluster.SLOTS - 1))
                .isSameAs(cluster.nodes().get(2));
    }

    @Test
    void slotIsTheServersOwn() {
        try (RespClient client = cluster.nodes().get(0).client()) {
            for (String key : new String[] {"a", "grün", "{a}b", "a{b}", "{}a", "{a", "x{y}{z}", "{{a}}"}) {
                assertThat(client.number("CLUSTER", "KEYSLOT", key)).isEqualTo(RedisCluster.slotOf(key));
            }
        }
    }

    @Test
    void migrationMovesTheKeysOfASlot() {
        int keys = 250;
        int slot = RedisCluster.slotOf("moved");
        RedisServer from = cluster.nodeOf(slot);
        RedisServer to = cluster.nodes().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        try (RespClient source = from.client();
                RespClient target = to.client()) {
            IntStream.range(0, keys).forEach(i -> source.call("SET", "{moved}" + i, "v" + i));

            cluster.migrate(slot, to);
            cluster.migrate(slot, to);

            assertThat(cluster.nodeOf(slot)).isSameAs(to);
            assertThat(target.number("CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot)))
                    .isEqualTo(keys);
            assertThat(target.call("GET", "{moved}7")).isEqualTo("v7");
            assertThatThrownBy(() -> source.call("GET", "{moved}7"))
                    .isInstanceOf(RespException.class)
                    .hasMessage("MOVED %d 127.0.0.1:%d", slot, to.port());
        }
    }
}
