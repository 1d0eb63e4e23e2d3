package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisClusterIT {

    private static final int BUSY_KEYS = 500;

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

    @Test
    void migrationLosesNothingUnderLoad() {
        int slot = RedisCluster.slotOf("busy");
        AtomicBoolean stopped = new AtomicBoolean();
        CompletableFuture<Long> load = CompletableFuture.supplyAsync(() -> countUntil(stopped));
        try {
            for (int round = 0; round < 6; round++) {
                cluster.migrate(slot, cluster.nodes().get(round % 3));
            }
        } finally {
            stopped.set(true);
        }
        long counted = load.join();

        assertThat(counted).isPositive();
        try (RespClient client = cluster.nodeOf(slot).client()) {
            for (int key = 0; key < BUSY_KEYS; key++) {
                long expected = counted / BUSY_KEYS + (key < counted % BUSY_KEYS ? 1 : 0);
                assertThat(client.call("GET", "{busy}" + key)).isEqualTo(Long.toString(expected));
            }
        }
    }

    /** Counts up keys in turn, wherever the slot is, and tells how often. */
    private static long countUntil(AtomicBoolean stopped) {
        Map<Integer, RespClient> clients = new HashMap<>();
        cluster.nodes().forEach(node -> clients.put(node.port(), node.client()));
        try {
            int port = cluster.nodes().get(0).port();
            long counted = 0;
            // Once around at least, so that all keys exist.
            while (!stopped.get() || counted < BUSY_KEYS) {
                String key = "{busy}" + counted % BUSY_KEYS;
                RespClient client = Objects.requireNonNull(clients.get(port));
                try {
                    client.call("INCR", key);
                    counted++;
                } catch (RespException redirected) {
                    String[] words = String.valueOf(redirected.getMessage()).split("[ :]", -1);
                    int other = Integer.parseInt(words[words.length - 1]);
                    if (words[0].equals("ASK")) {
                        RespClient importing = Objects.requireNonNull(clients.get(other));
                        importing.call("ASKING");
                        try {
                            importing.call("INCR", key);
                            counted++;
                        } catch (RespException goneOn) {
                            // The slot is there no more; from the start.
                        }
                    } else {
                        port = other;
                    }
                }
            }
            return counted;
        } finally {
            clients.values().forEach(RespClient::close);
        }
    }
}
