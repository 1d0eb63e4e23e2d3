package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.ByteBuffer;
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
    void olderTokenIsRejectedAtEveryKeyOfTheLockHoweverItsNameLooks() {
        RedisFence fence = RedisFence.on(connection);
        long now = System.currentTimeMillis() * 1_000;
        List<String> names = new ArrayList<>(
                List.of("a{b}c", "{}x", "}{", "{", "}", "a{b", "{}", "{{a}}", "50%", "%7B", "치킨}", "\uD83C\uDF4E"));
        for (int i = 0; i < 100; i++) {
            names.add("apples:" + i);
        }
        for (String name : names) {
            String stock = RedisFence.key(name, "stock");
            String soldBy = RedisFence.key(name, "sold-by");
            fence.of(name, now).run(FencedWrites.set(stock, "newer"));

            assertThatThrownBy(() -> fence.of(name, now - 1).run(FencedWrites.set(soldBy, "older")))
                    .as(name)
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.lockName()).isEqualTo(name));
            assertThat(connection.sync().get(soldBy)).isNull();
        }

        for (RedisServer node : cluster.nodes()) {
            try (RespClient each = node.client()) {
                assertThat(each.call("SCRIPT", "FLUSH")).isEqualTo("OK");
            }
        }
        for (String name : names) {
            assertThat(fence.of(name, now + 1).run(FencedWrites.del(RedisFence.key(name, "stock"))))
                    .as("%s: deleted by a script that its node has to learn", name)
                    .isTrue();
        }
    }

    @Test
    void oneScriptWritesSeveralKeysOfALock() {
        FencedWriter commands = RedisFence.on(connection).of("pears", System.currentTimeMillis() * 1_000);
        List<String> keys = List.of("stock:{pears}", "sold-by:{pears}", "pears");

        Long last = commands.run(
                FencedCommand.script("for i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[i]) end return #KEYS")
                        .keys(keys.toArray(String[]::new))
                        .args("1", "2", "the key that equals the name")
                        .returningLong());

        assertThat(last).isEqualTo(3);
        assertThat(connection.sync().get("stock:{pears}")).isEqualTo("1");
        assertThat(connection.sync().get("sold-by:{pears}")).isEqualTo("2");
        assertThat(connection.sync().get("pears")).isEqualTo("the key that equals the name");
    }

    @Test
    void keyOutsideTheSlotOfTheLockIsRefusedBeforeAnythingIsSent() {
        FencedWriter commands = RedisFence.on(connection).of("plums", System.currentTimeMillis() * 1_000);

        assertThatThrownBy(() -> commands.run(FencedWrites.set("stock:plums", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Key 'stock:plums' is in hash slot " + SlotHash.getSlot("stock:plums"))
                .hasMessageContaining("lock 'plums' in " + SlotHash.getSlot("plums"))
                .hasMessageContaining("nothing was sent")
                .hasMessageContaining("RedisFence.key(lockName, name)")
                .hasMessageContaining("'NAME:{plums}'");
        assertThatThrownBy(() -> commands.run(FencedCommand.script("return 1")
                        .keys("stock:{plums}", "stock:plums")
                        .returningLong()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Key 'stock:plums'");

        assertThat(connection.sync().exists("holdfast:fence:{plums}", "stock:plums"))
                .isZero();
    }

    /** With the prefix as a hash tag, every key that is sent is in one slot. */
    @Test
    void slotIsThatOfTheKeyAsTheCodecEncodesIt() {
        long now = System.currentTimeMillis() * 1_000;
        try (StatefulRedisClusterConnection<String, String> prefixed = client.connect(new PrefixCodec("{app}:"))) {
            RedisFence fence = RedisFence.on(prefixed);
            fence.of("figs", now).run(FencedWrites.set("stock", "newer"));

            assertThatThrownBy(() -> fence.of("figs", now - 1).run(FencedWrites.set("sold-by", "older")))
                    .isInstanceOf(StaleTokenException.class);

            assertThat(connection.sync().get("{app}:stock")).isEqualTo("newer");
            assertThat(connection.sync().get("{app}:holdfast:fence:{figs}")).isEqualTo(Long.toString(now));
        }
    }

    /** Puts a prefix before every key that is sent. */
    private static final class PrefixCodec implements RedisCodec<String, String> {
        private final String prefix;

        PrefixCodec(String prefix) {
            this.prefix = prefix;
        }

        @Override
        public String decodeKey(ByteBuffer bytes) {
            return StringCodec.UTF8.decodeKey(bytes).substring(prefix.length());
        }

        @Override
        public String decodeValue(ByteBuffer bytes) {
            return StringCodec.UTF8.decodeValue(bytes);
        }

        @Override
        public ByteBuffer encodeKey(String key) {
            return StringCodec.UTF8.encodeKey(prefix + key);
        }

        @Override
        public ByteBuffer encodeValue(String value) {
            return StringCodec.UTF8.encodeValue(value);
        }
    }
}
