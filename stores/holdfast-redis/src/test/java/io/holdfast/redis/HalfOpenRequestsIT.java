package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The connection for requests is half-open; a new one would work. */
class HalfOpenRequestsIT {

    @Test
    void unresponsiveConnectionIsReplacedBeforeTheLeaseIsLost() {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port());
                Holdfast holdfast = Holdfast.connect("redis://127.0.0.1:" + network.port())) {
            Lease lease = holdfast.lock("apples").acquire();
            ProxiedConnection halfOpen = network.carrying("EVALSHA").get(0);
            halfOpen.stall(Direction.TO_SERVER);
            halfOpen.stall(Direction.TO_CLIENT);
            long begun = System.nanoTime();

            Lease other = holdfast.lock("pears").acquire(Eventually.LIMIT);

            Eventually.figure("half-open connection for requests, next grant after", begun);
            assertThat(network.carrying("EVALSHA")).anyMatch(connection -> !connection.equals(halfOpen));
            assertThat(other.release()).isTrue();
            assertThat(lease.state()).isNotEqualTo(LeaseState.LOST);
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void staleRequestAfterTheReleaseIsRefused() throws Exception {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port());
                Holdfast other = Holdfast.connect(server.url());
                StoreClient client = new StoreClient(RedisStore.at("redis://127.0.0.1:" + network.port()))) {
            Claim warm = client.claim("apples", Claim.Mode.TRY);
            assertThat(acquired(client, warm)).isTrue();
            client.store().release(warm).get(10, TimeUnit.SECONDS);
            ProxiedConnection halfOpen = network.carrying("EVALSHA").get(0);
            halfOpen.stall(Direction.TO_SERVER);
            long before = halfOpen.bytes(Direction.TO_SERVER);
            Claim claim = client.claim("apples", Claim.Mode.TRY);

            Eventually.holds("it is granted by another connection", () -> acquired(client, claim));
            assertThat(client.store().release(claim).get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(other.lock("apples").inspect().isFree()).isTrue();
            long scripts = Commands.sent(server);
            halfOpen.flow(Direction.TO_SERVER);

            Eventually.holds("the first request has arrived", () -> halfOpen.bytes(Direction.TO_SERVER) > before);
            Eventually.holds("it was executed", () -> Commands.sent(server) > scripts);
            assertThat(other.lock("apples").inspect().isFree()).isTrue();
        }
    }

    private static boolean acquired(StoreClient client, Claim claim) {
        try {
            return client.store().acquire(claim).get(30, TimeUnit.SECONDS).isPresent();
        } catch (Exception notAnswered) {
            return false;
        }
    }
}
