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
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Connections to a server of a cluster go silent, and nobody says so; new ones would work. */
class ClusterHalfOpenIT {

    @Test
    void silentConnectionsAreReplaced() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port())) {
            announce(cluster, network);
            try (Holdfast holding = Holdfast.connect(cluster.url());
                    Holdfast waiting = Holdfast.connect(cluster.url())) {
                Lease holder = holding.lock("apples").acquire();
                CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("apples"));
                List<ProxiedConnection> silent = network.carrying("SSUBSCRIBE");
                assertThat(silent).isNotEmpty();
                silent.forEach(ClusterHalfOpenIT::stall);
                long released = System.nanoTime();
                holder.close();
                Lease lease = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
                Eventually.figure("cluster: subscription half open, release to grant", released);

                hearsAgain(network, silent, holding, waiting);

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
                            .replicas(1, Duration.ofSeconds(1))::open)
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
    void silentSubscriptionThatCannotBeReplacedIsNotKeptASecret() throws Exception {
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
                        "it is said",
                        () -> log.warnings().stream()
                                .anyMatch(line -> line.contains("is silent and cannot be replaced")));

                network.accept();
                holder.close();
                assertThat(waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS)
                                .release())
                        .isTrue();
            }
        }
    }

    private static void announce(RedisCluster cluster, TcpProxy network) {
        try (RespClient client = cluster.nodes().get(0).client()) {
            client.call("CONFIG", "SET", "cluster-announce-port", Integer.toString(network.port()));
        }
    }

    /** The server knows nothing of the silence, and would take the waiter for one that listens. */
    private static void hearsAgain(TcpProxy network, List<ProxiedConnection> silent, Holdfast holding, Holdfast waiting)
            throws Exception {
        Lease holder = holding.lock("plums").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("plums"));
        Eventually.holds(
                "the connection is replaced",
                () -> network.carrying("SSUBSCRIBE").stream().anyMatch(connection -> !silent.contains(connection)));
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
