package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RedisSentinelsIT {

    @Test
    void killedMasterIsReplacedAndComesBackAsAReplica() {
        try (RedisSentinels group = RedisSentinels.start("maxmemory 20mb")) {
            RedisServer old = group.master();
            assertThat(group.replicas()).hasSize(2).doesNotContain(old);
            assertThat(group.sentinels()).hasSize(3);
            assertThat(group.url()).matches("redis-sentinel://(127\\.0\\.0\\.1:\\d+,?){3}/0#holdfast");
            try (RespClient client = old.client()) {
                assertThat(client.call("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "20971520"));
                client.call("SET", "a", "1");
                assertThat(client.number("WAIT", "2", "20000")).isEqualTo(2);
            }

            old.kill();
            RedisServer next = group.awaitMasterOtherThan(old);

            assertThat(next).isNotSameAs(old).isSameAs(group.master());
            try (RespClient client = next.client()) {
                assertThat(client.call("GET", "a")).isEqualTo("1");
                client.call("SET", "b", "2");
            }

            old.restart();
            group.awaitReplicas();

            assertThat(group.replicas()).contains(old);
            try (RespClient client = old.client()) {
                assertThat(client.call("GET", "b")).isEqualTo("2");
            }
        }
    }
}
