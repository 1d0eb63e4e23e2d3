package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.BlackHole;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A machine that is frozen accepts connections, and never answers. */
class UnresponsiveServerIT {

    /** Lettuce itself would wait for a minute. */
    private static final Duration LIMIT = Duration.ofSeconds(40);

    @Test
    void handshakeTimesOut() {
        try (RedisServer redis = RedisServer.start();
                TcpProxy network = TcpProxy.to(redis.port());
                Holdfast holdfast = Holdfast.connect("redis://127.0.0.1:" + network.port())) {
            holdfast.lock("apples").run(lease -> {});
            network.refuse();
            try (BlackHole frozen = new BlackHole(network.port())) {
                network.cut();
                frozen.awaitConnections(2);
                frozen.stop();
                network.accept();
                Optional<Lease> lease = holdfast.lock(
                                "apples", LockOptions.builder().maxWait(LIMIT).build())
                        .tryAcquire(LIMIT);
                assertThat(lease).isPresent();
                lease.get().close();
            }
        }
    }
}
