package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.Holdfast;
import io.holdfast.StoreUnavailableException;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that is down at the start is an exception that says so, in the same type as an outage later. */
class UnreachableServerTest {

    @ParameterizedTest
    @ValueSource(strings = {"redis://:s3cret@127.0.0.1:", "redis-cluster://:s3cret@127.0.0.1:"})
    void serverBehindAUrlIsReportedAsUnavailable(String start) throws IOException {
        String url = start + closedPort();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> Holdfast.builder(url).failFast().build())
                .withMessageContaining(url.replace(":s3cret@", ""))
                .withMessageNotContaining("s3cret")
                .withMessageContaining("Connection refused")
                .satisfies(failure -> assertThat(failure.lockName()).isEmpty());
    }

    @Test
    void serverOfASuppliedClientIsReportedAsUnavailable() throws IOException {
        RedisClient client = RedisClient.create("redis://127.0.0.1:" + closedPort());
        try {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() ->
                            Holdfast.builder(RedisStore.on(client)).failFast().build())
                    .withMessageContaining("Connection refused");
        } finally {
            client.shutdown();
        }
    }

    @Test
    void clusterOfASuppliedClientIsReportedAsUnavailable() throws IOException {
        RedisClusterClient client = RedisClusterClient.create("redis://127.0.0.1:" + closedPort());
        try {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() ->
                            Holdfast.builder(RedisStore.on(client)).failFast().build());
        } finally {
            client.shutdown();
        }
    }

    private static int closedPort() throws IOException {
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return closed.getLocalPort();
        }
    }
}
