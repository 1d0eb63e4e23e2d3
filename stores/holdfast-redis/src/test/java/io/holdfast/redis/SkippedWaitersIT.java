package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** No waiter can be notified when the name becomes free, so a new claim acquires it; the waiters are not moved to the end. */
class SkippedWaitersIT {

    private static final int WAITERS = 3;

    @Test
    void skippedWaitersAreServedInTheirOrderThoughTheLastPollsFirst() {
        List<TcpProxy> networks = new ArrayList<>();
        List<StoreClient> clients = new ArrayList<>();
        try (RedisServer server = RedisServer.start();
                RespClient admin = server.client();
                StoreClient holding = new StoreClient(RedisStore.at(server.url()));
                Holdfast looking = Holdfast.connect(server.url())) {
            try {
                Claim holder = holding.claim("apples", Claim.Mode.TRY);
                assertThat(Eventually.comes(holding.store().acquire(holder))).isPresent();
                List<Claim> claims = new ArrayList<>();
                List<CompletableFuture<Optional<Grant>>> waiters = new ArrayList<>();
                for (int i = 0; i < WAITERS; i++) {
                    TcpProxy network = TcpProxy.to(server.port());
                    networks.add(network);
                    StoreClient client = new StoreClient(RedisStore.at("redis://127.0.0.1:" + network.port()));
                    clients.add(client);
                    claims.add(client.claim("apples", Claim.Mode.WAIT));
                    waiters.add(client.store().acquire(claims.get(i)));
                    Eventually.waiters(looking.lock("apples"), i + 1);
                }

                // They can neither receive messages nor poll while the name is handed over.
                networks.forEach(TcpProxy::stall);
                admin.call("CLIENT", "KILL", "TYPE", "pubsub");
                assertThat(Eventually.comes(holding.store().release(holder))).isTrue();
                Claim newcomer = holding.claim("apples", Claim.Mode.TRY);
                assertThat(Eventually.comes(holding.store().acquire(newcomer))).isPresent();
                assertThat(looking.lock("apples").inspect().waiters()).isZero();
                List<TcpProxy> lastFirst = new ArrayList<>(networks);
                Collections.reverse(lastFirst);
                for (int i = 0; i < WAITERS; i++) {
                    lastFirst.get(i).flow();
                    Eventually.waiters(looking.lock("apples"), i + 1);
                }

                assertThat(waiters).noneMatch(CompletableFuture::isDone);
                assertThat(Eventually.comes(holding.store().release(newcomer))).isTrue();
                List<Long> tokens = new ArrayList<>();
                for (int i = 0; i < WAITERS; i++) {
                    tokens.add(Eventually.comes(waiters.get(i)).orElseThrow().firstToken());
                    assertThat(waiters.subList(i + 1, WAITERS))
                            .as("after number %d", i)
                            .noneMatch(CompletableFuture::isDone);
                    assertThat(Eventually.comes(clients.get(i).store().release(claims.get(i))))
                            .isTrue();
                }
                assertThat(tokens).isSorted();
            } finally {
                clients.forEach(StoreClient::close);
                networks.forEach(TcpProxy::close);
            }
        }
    }
}
