package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Connections to a server of a Cluster are half-open; new ones would work. */
class ClusterHalfOpenIT {

    @Test
    void unresponsiveConnectionsAreReplaced() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port())) {
            announce(cluster, network);
            try (Holdfast holding = Holdfast.connect(cluster.url());
                    Holdfast waiting = Holdfast.connect(cluster.url())) {
                Lease holder = holding.lock("apples").acquire();
                CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("apples"));
                List<ProxiedConnection> halfOpen = network.carrying("SSUBSCRIBE");
                assertThat(halfOpen).isNotEmpty();
                halfOpen.forEach(ClusterHalfOpenIT::stall);
                long released = System.nanoTime();
                holder.close();
                Lease lease = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
                Eventually.figure("cluster: subscription half open, release to grant", released);

                subscriptionIsReplaced(network, halfOpen, holding, waiting);

                network.carrying("EVALSHA").forEach(ClusterHalfOpenIT::stall);
                long begun = System.nanoTime();
                Lease other = waiting.lock("pears").acquire(Eventually.LIMIT);
                Eventually.figure("cluster: half-open connection for requests, next grant after", begun);
                assertThat(other.release()).isTrue();
                assertThat(lease.state()).isNotEqualTo(LeaseState.LOST);
                assertThat(lease.release()).isTrue();
            }
        }
    }

    @Test
    void halfOpenDedicatedConnectionIsReplaced() {
        try (RedisCluster cluster = RedisCluster.start(1);
                RedisServer replica = ClusterReplica.of(cluster.nodes().get(0));
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port())) {
            announce(cluster, network);
            try (RespClient client = replica.client()) {
                Eventually.holds(
                        "the replica knows the way",
                        () -> client.text("CLUSTER", "NODES").contains(":" + network.port() + "@"));
            }
            try (Holdfast holdfast = Holdfast.builder(RedisStore.at("redis-cluster://127.0.0.1:" + network.port())
                            .replicas(1, Duration.ofSeconds(1)))
                    .build()) {
                assertThat(holdfast.lock("apples").acquire(Eventually.LIMIT).release())
                        .isTrue();
                List<ProxiedConnection> dedicated = network.carrying("WAIT");
                assertThat(dedicated).isNotEmpty();
                dedicated.forEach(ClusterHalfOpenIT::stall);

                assertThat(holdfast.lock("apples").acquire(Eventually.LIMIT).release())
                        .isTrue();
            }
        }
    }

    @Test
    void halfOpenSubscriptionThatCannotBeReplacedIsLogged() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port())) {
            announce(cluster, network);
            try (Holdfast holding = Holdfast.connect(cluster.url());
                    Holdfast waiting = Holdfast.connect("redis-cluster://127.0.0.1:" + network.port());
                    LogLines log = LogLines.ofHoldfast()) {
                Lease holder = holding.lock("apples").acquire();
                CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("apples"));
                network.refuse();
                network.carrying("SSUBSCRIBE").forEach(ClusterHalfOpenIT::stall);

                Eventually.holds(
                        "it is logged",
                        () -> log.warnings().stream()
                                .anyMatch(line -> line.contains("is unresponsive and cannot be replaced")));

                network.accept();
                holder.close();
                assertThat(waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS)
                                .release())
                        .isTrue();
            }
        }
    }

    @Test
    void subscriptionFollowsASlotThatLeavesAnUnresponsiveServer() {
        try (RedisCluster cluster = RedisCluster.start(2);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port());
                RespClient from = cluster.nodes().get(0).client();
                RespClient to = cluster.nodes().get(1).client()) {
            announce(cluster, network);
            Eventually.holds(
                    "the other server knows the way",
                    () -> to.text("CLUSTER", "NODES").contains(":" + network.port() + "@"));
            List<String> names = Stream.iterate("apples", text -> text + "s")
                    .filter(text -> RedisCluster.slotOf(text) < RedisCluster.SLOTS / 2)
                    .limit(2)
                    .toList();
            String name = names.get(1);
            String key = "holdfast:{" + name + "}";
            String url = "redis-cluster://127.0.0.1:" + cluster.nodes().get(1).port();
            try (StoreClient holding = new StoreClient(RedisStore.at(url));
                    Holdfast waiting = Holdfast.connect(url)) {
                List<Claim> holders = names.stream()
                        .map(each -> holding.claim(each, Claim.Mode.TRY, Duration.ofMinutes(2)))
                        .toList();
                holders.forEach(claim -> assertThat(holding.acquires(claim)).isTrue());
                // So the connection for messages is there.
                CompletableFuture<Lease> other = Waiters.queue(waiting.lock(names.get(0)));
                network.stall(Direction.TO_CLIENT);
                CompletableFuture<Lease> waiter = waiting.lock(name).acquireAsync(Duration.ofMinutes(2));
                Eventually.holds(
                        "it has subscribed, and does not learn of it",
                        () -> from.list("PUBSUB", "SHARDCHANNELS").size() > 1);

                move(RedisCluster.slotOf(name), key, from, to, cluster.nodes().get(1));

                Eventually.holds("it waits at the other server", () -> "1".equals(to.call("HGET", key, "waiting")));
                network.flow(Direction.TO_CLIENT);
                holders.forEach(claim -> Eventually.holds(
                        "it is released",
                        () -> Eventually.comes(holding.store().release(claim).exceptionally(notYet -> false))));
                assertThat(Eventually.comes(other).release()).isTrue();
                assertThat(Eventually.comes(waiter).release()).isTrue();
            }
        }
    }

    @Test
    void unansweredSubscriptionIsNotRepeatedOnTheSameConnection() {
        try (RedisCluster cluster = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port());
                RespClient admin = cluster.nodes().get(0).client()) {
            announce(cluster, network);
            String url = "redis-cluster://127.0.0.1:" + network.port() + "?timeout=200ms";
            try (StoreClient holding = new StoreClient(RedisStore.at(cluster.url()));
                    Holdfast waiting = Holdfast.connect(url)) {
                List<Claim> holders = Stream.of("apples", "pears")
                        .map(name -> holding.claim(name, Claim.Mode.TRY, Duration.ofMinutes(2)))
                        .toList();
                holders.forEach(claim -> assertThat(holding.acquires(claim)).isTrue());
                // So the connection for messages is there.
                CompletableFuture<Lease> first = Waiters.queue(waiting.lock("apples"));
                network.stall(Direction.TO_CLIENT);
                long requests = Commands.sent(cluster.nodes().get(0));
                CompletableFuture<Lease> second = waiting.lock("pears").acquireAsync(Duration.ofMinutes(2));

                Eventually.holds(
                        "requests were repeated",
                        () -> Commands.sent(cluster.nodes().get(0)) > requests + 10);

                assertThat(admin.list("PUBSUB", "SHARDCHANNELS")).hasSizeLessThanOrEqualTo(2);
                network.flow(Direction.TO_CLIENT);
                holders.forEach(
                        claim -> assertThat(Eventually.comes(holding.store().release(claim)))
                                .isTrue());
                assertThat(Eventually.comes(first).release()).isTrue();
                assertThat(Eventually.comes(second).release()).isTrue();
            }
        }
    }

    private static void move(int slot, String key, RespClient from, RespClient to, RedisServer target) {
        String number = Integer.toString(slot);
        String owner = to.text("CLUSTER", "MYID");
        to.call("CLUSTER", "SETSLOT", number, "IMPORTING", from.text("CLUSTER", "MYID"));
        from.call("CLUSTER", "SETSLOT", number, "MIGRATING", owner);
        from.call("MIGRATE", "127.0.0.1", Integer.toString(target.port()), key, "0", "5000");
        to.call("CLUSTER", "SETSLOT", number, "NODE", owner);
        from.call("CLUSTER", "SETSLOT", number, "NODE", owner);
    }

    private static void announce(RedisCluster cluster, TcpProxy network) {
        try (RespClient client = cluster.nodes().get(0).client()) {
            client.call("CONFIG", "SET", "cluster-announce-port", Integer.toString(network.port()));
        }
    }

    /** For the server the half-open connection is still subscribed. */
    private static void subscriptionIsReplaced(
            TcpProxy network, List<ProxiedConnection> halfOpen, Holdfast holding, Holdfast waiting) throws Exception {
        Lease holder = holding.lock("plums").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("plums"));
        Eventually.holds(
                "the connection is replaced",
                () -> network.carrying("SSUBSCRIBE").stream().anyMatch(connection -> !halfOpen.contains(connection)));
        holder.close();
        assertThat(waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS).release())
                .isTrue();
        Lease second = holding.lock("plums").acquire();
        CompletableFuture<Lease> patient = Waiters.queue(waiting.lock("plums"));
        long released = System.nanoTime();
        second.close();
        assertThat(patient.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS).release())
                .isTrue();
        Eventually.figure("cluster: replaced subscription, release to grant", released);
    }

    private static void stall(ProxiedConnection connection) {
        connection.stall(Direction.TO_SERVER);
        connection.stall(Direction.TO_CLIENT);
    }
}
