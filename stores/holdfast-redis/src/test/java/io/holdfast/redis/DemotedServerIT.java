package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A master becomes a replica and does not cut its clients off, as behind a name or an address that moves. */
class DemotedServerIT {

    private static final int REFUSED = 100;
    private static final Pattern OURS = Pattern.compile("id=(\\d+) .* name=holdfast .* sub=0 ");

    @Test
    void connectionIsReplacedEveryTimeItsServerIsDemoted() {
        try (RedisServer other = RedisServer.start();
                RedisServer server = RedisServer.start();
                Holdfast holdfast = Holdfast.connect(server.url());
                RespClient client = server.client()) {
            for (int demotion = 1; demotion <= 3; demotion++) {
                List<String> before = connections(client);
                client.call("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));

                assertThatThrownBy(() -> holdfast.lock("a").tryAcquire()).isInstanceOf(StoreUnavailableException.class);

                Eventually.holds(
                        "another connection after demotion " + demotion,
                        () -> !connections(client).isEmpty()
                                && connections(client).stream().noneMatch(before::contains));
                client.call("REPLICAOF", "NO", "ONE");
            }
            try (Lease lease = holdfast.lock("a").acquire()) {
                assertThat(lease.token()).isPositive();
            }
        }
    }

    /** With replicas, requests are sent by a dedicated connection. */
    @Test
    void refusedRequestsDoNotOpenAConnectionEach() {
        try (RedisServer master = RedisServer.start();
                RedisServer replica = RedisServer.start("replicaof 127.0.0.1 " + master.port());
                StoreClient store = new StoreClient(RedisStore.at(replica.url()).replicas(1, Duration.ofMillis(100)));
                RespClient client = replica.client()) {
            long before = opened(client);
            long begun = System.nanoTime();
            for (int i = 0; i < REFUSED; i++) {
                assertThat(store.acquires(store.claim("a", Claim.Mode.TRY))).isFalse();
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) + 1;
            // The server is left once a second. Then there are two new connections for requests, and one for messages
            // with each.
            assertThat(opened(client) - before).isPositive().isLessThanOrEqualTo(10 + 4 * seconds);
        }
    }

    private static long opened(RespClient client) {
        return Long.parseLong(client.field("total_connections_received", "INFO", "stats"));
    }

    private static List<String> connections(RespClient client) {
        return OURS.matcher(client.text("CLIENT", "LIST"))
                .results()
                .map(MatchResult::group)
                .map(text -> text.substring(0, text.indexOf(' ')))
                .toList();
    }
}
