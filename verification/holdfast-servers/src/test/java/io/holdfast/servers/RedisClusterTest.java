package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisClusterTest {

    @Test
    void slotIsTheChecksumOfTheKey() {
        assertThat(RedisCluster.slotOf("123456789")).isEqualTo(0x31c3);
        assertThat(RedisCluster.slotOf("foo")).isEqualTo(12_182);
        assertThat(RedisCluster.slotOf("")).isZero();
    }

    @Test
    void slotIsOfTheFirstPartInBracesOnly() {
        assertThat(RedisCluster.slotOf("{foo}.a")).isEqualTo(RedisCluster.slotOf("foo"));
        assertThat(RedisCluster.slotOf("a{foo}{bar}")).isEqualTo(RedisCluster.slotOf("foo"));
        assertThat(RedisCluster.slotOf("a{{foo}}")).isEqualTo(RedisCluster.slotOf("{foo"));
        assertThat(RedisCluster.slotOf("{}foo")).isNotEqualTo(RedisCluster.slotOf("foo"));
        assertThat(RedisCluster.slotOf("{}{foo}")).isNotEqualTo(RedisCluster.slotOf("foo"));
        assertThat(RedisCluster.slotOf("{foo")).isNotEqualTo(RedisCluster.slotOf("foo"));
    }
}
