package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A master becomes a replica and does not cut its clients off, as behind a name or an address that moves. */
class DemotedServerIT {

    private static final Pattern OURS = Pattern.compile("id=(\\d+) .* name=holdfast .* sub=0 ");

    @Test
    void connectionIsLeftEveryTimeItsServerIsDemoted() {
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

    private static List<String> connections(RespClient client) {
        return OURS.matcher(client.text("CLIENT", "LIST"))
                .results()
                .map(MatchResult::group)
                .map(text -> text.substring(0, text.indexOf(' ')))
                .toList();
    }
}
