package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.PlannedCut;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** {@code INCR} then {@code EXPIRE}: a crash between them leaves a lock that never ends. */
class A01EveryKeyHasAnExpiryIT {

    private static final Duration LEASE = Duration.ofMillis(300);

    @Test
    void crashAfterTheFirstStepLeavesTheNaiveKeyForeverAndThatOfHoldfastForALease() throws Exception {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port());
                NaiveClient crashing = new NaiveClient("redis://127.0.0.1:" + network.port());
                NaiveClient next = new NaiveClient(server.url());
                Holdfast holdfast = Holdfast.connect(server.url());
                RespClient client = server.client()) {
            network.loseRequest("PEXPIRE");
            assertThatThrownBy(() -> new NaiveIncrLock(crashing.redis()).tryAcquire("naive", LEASE))
                    .isNotNull();
            assertThat(client.number("PTTL", "naive")).as("no end").isEqualTo(-1);
            assertThat(new NaiveIncrLock(next.redis()).tryAcquire("naive", LEASE))
                    .isFalse();
            client.call("DEL", "naive");

            LockOptions options = LockOptions.builder().leaseTime(LEASE).build();
            holdfast.lock("apples").acquire().close();
            Holdfast crashed = Holdfast.builder("redis://127.0.0.1:" + network.port())
                    .defaults(options)
                    .shutdownGrace(Duration.ZERO)
                    .build();
            PlannedCut cut = network.loseReplyTo("EVALSHA");
            CompletableFuture<Lease> acquisition = crashed.lock("apples").acquireAsync();
            network.refuse();
            cut.await(Eventually.LIMIT);
            network.cut();

            assertThat(endless(client)).isEmpty();
            try (Lease lease = holdfast.lock("apples").acquire(Eventually.LIMIT)) {
                assertThat(endless(client)).isEmpty();
                assertThat(lease.remaining()).isPositive();
            }
            assertThat(endless(client)).as("nor after the release").isEmpty();
            acquisition.cancel(true);
            crashed.close();
        }
    }

    private static List<String> endless(RespClient client) {
        List<String> keys =
                client.list("KEYS", "*").stream().map(String::valueOf).toList();
        assertThat(keys).isNotEmpty();
        return keys.stream().filter(key -> client.number("PTTL", key) < 0).toList();
    }
}
