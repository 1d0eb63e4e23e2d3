package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.ServerCertificate;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The store on a client that the application has made, and goes on using. */
class SuppliedClientIT {

    private static final LockOptions OPTIONS =
            LockOptions.builder().maxWait(Eventually.LIMIT).build();

    @Test
    void clientIsNotChanged() {
        RedisClient client;
        try (RedisServer server = RedisServer.start()) {
            client = RedisClient.create(server.url());
            try (StatefulRedisConnection<String, String> own = client.connect()) {
                own.sync().set("mine", "1");
                long before = connections(server);

                contend(
                        Holdfast.builder(RedisStore.on(client))
                                .defaults(OPTIONS)
                                .build(),
                        Holdfast.builder(RedisStore.on(client))
                                .defaults(OPTIONS)
                                .build());

                Eventually.holds("the connections of the store are closed", () -> connections(server) == before);
                assertThat(own.sync().get("mine")).isEqualTo("1");
                KeyCheck.everyKeyExpires(server);
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void clientWithoutPermissionToSubscribeIsNotChanged() {
        try (RedisServer server = RedisServer.start();
                RespClient admin = server.client()) {
            admin.call("ACL", "SETUSER", "default", "resetchannels");
            RedisClient client = RedisClient.create(server.url());
            try (StatefulRedisConnection<String, String> own = client.connect()) {
                long before = connections(server);
                assertThatThrownBy(() -> Holdfast.builder(RedisStore.on(client)).build())
                        .hasMessageContaining("&holdfast:*");
                Eventually.holds("the connections of the store are closed", () -> connections(server) == before);
                assertThat(own.sync().ping()).isEqualTo("PONG");
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void longTimeoutOfTheClientIsLogged() {
        try (RedisServer server = RedisServer.start();
                LogLines log = LogLines.ofHoldfast()) {
            RedisURI uri = RedisURI.create(server.url());
            for (Duration timeout : List.of(RedisURI.DEFAULT_TIMEOUT_DURATION, Duration.ofSeconds(2))) {
                uri.setTimeout(timeout);
                RedisClient client = RedisClient.create(uri);
                try {
                    Holdfast.builder(RedisStore.on(client)).build().close();
                } finally {
                    client.shutdown();
                }
            }
            assertThat(log.warnings()).singleElement().asString().contains("has a timeout of 1 min.");
        }
    }

    @Test
    void clientThatTrustsTheCertificateConnectsByTls() {
        try (ServerCertificate certificate = ServerCertificate.selfSigned();
                RedisServer server = RedisServer.startWithTls(certificate)) {
            RedisClient client = RedisClient.create(server.url());
            client.setOptions(ClientOptions.builder()
                    .sslOptions(SslOptions.builder()
                            .truststore(certificate.trustStore().toFile(), ServerCertificate.TRUST_STORE_PASSWORD)
                            .build())
                    .build());
            try {
                contend(
                        Holdfast.builder(RedisStore.on(client))
                                .defaults(OPTIONS)
                                .build(),
                        Holdfast.builder(RedisStore.on(client))
                                .defaults(OPTIONS)
                                .build());
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void clientThatDoesNotReconnectIsConnectedAgainByTheStore() {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port())) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + network.port());
            client.setOptions(ClientOptions.builder().autoReconnect(false).build());
            try (Holdfast one = Holdfast.builder(RedisStore.on(client))
                            .defaults(OPTIONS)
                            .build();
                    Holdfast other = Holdfast.builder(RedisStore.on(client))
                            .defaults(OPTIONS)
                            .build()) {
                Lease held = one.lock("kept").acquire();
                network.refuse();
                network.cut();
                Eventually.holds("no connection is left", () -> network.connections() == 0);
                network.accept();

                Eventually.renewed(held);
                handOver(one, other, held);
                server.restart();
                handOver(one, other, one.lock("door").acquire());
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void clientWithReplicasThatDoesNotReconnectIsConnectedAgainByTheStore() {
        try (RedisServer master = RedisServer.start("repl-diskless-sync-delay 0");
                RedisServer replica = RedisServer.start("replicaof 127.0.0.1 " + master.port());
                TcpProxy network = TcpProxy.to(master.port())) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + network.port());
            client.setOptions(ClientOptions.builder().autoReconnect(false).build());
            try (Holdfast one = Holdfast.builder(RedisStore.on(client).replicas(1, Duration.ofSeconds(1)))
                    .defaults(OPTIONS)
                    .build()) {
                assertThat(replica.isAlive()).isTrue();
                Lease held = one.lock("kept").acquire();
                network.cut();

                Eventually.renewed(held);
                assertThat(held.release()).isTrue();
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void clusterClientThatDoesNotReconnectIsConnectedAgainByTheStore() {
        try (RedisCluster servers = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(servers.nodes().get(0).port());
                RespClient admin = servers.nodes().get(0).client()) {
            admin.call("CONFIG", "SET", "cluster-announce-port", Integer.toString(network.port()));
            RedisClusterClient client = RedisClusterClient.create("redis://127.0.0.1:" + network.port());
            client.setOptions(
                    ClusterClientOptions.builder().autoReconnect(false).build());
            try (Holdfast one = Holdfast.builder(RedisStore.on(client))
                            .defaults(OPTIONS)
                            .build();
                    Holdfast other = Holdfast.builder(RedisStore.on(client))
                            .defaults(OPTIONS)
                            .build()) {
                Lease held = one.lock("kept").acquire();
                network.refuse();
                network.cut();
                Eventually.holds("no connection is left", () -> network.connections() == 0);
                network.accept();

                Eventually.renewed(held);
                handOver(one, other, held);
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void clusterClientIsNotChangedAndAMissingTopologyRefreshIsLogged() {
        try (RedisCluster servers = RedisCluster.start();
                LogLines log = LogLines.ofHoldfast()) {
            RedisURI uri = RedisURI.create(servers.nodes().get(0).url());
            uri.setTimeout(Duration.ofSeconds(2));
            RedisClusterClient client = RedisClusterClient.create(uri);
            client.setOptions(
                    withRefresh(ClusterTopologyRefreshOptions.builder().disableAllAdaptiveRefreshTriggers()));
            try (StatefulRedisClusterConnection<String, String> own = client.connect()) {
                own.sync().set("mine", "1");
                long before = connections(servers);

                contend(
                        Holdfast.builder(RedisStore.on(client))
                                .defaults(OPTIONS)
                                .build(),
                        Holdfast.builder(RedisStore.on(client))
                                .defaults(OPTIONS)
                                .build());

                assertThat(log.warnings()).hasSize(2).allMatch(line -> line.contains("topology refresh"));
                Eventually.holds("the connections of the store are closed", () -> connections(servers) <= before);
                assertThat(own.sync().get("mine")).isEqualTo("1");

                log.lines().clear();
                client.setOptions(withRefresh(ClusterTopologyRefreshOptions.builder()));
                Holdfast.builder(RedisStore.on(client)).build().close();
                assertThat(log.warnings()).isEmpty();
            } finally {
                client.shutdown();
            }
            servers.nodes().forEach(KeyCheck::everyKeyExpires);
        }
    }

    /** One holds, the other waits and is served; then both are closed. */
    private static void contend(Holdfast first, Holdfast second) {
        try (first;
                second) {
            handOver(first, second, first.lock("door").acquire());
        }
    }

    private static void handOver(Holdfast first, Holdfast second, Lease held) {
        CompletableFuture<Lease> waiter = second.lock(held.name()).acquireAsync();
        Eventually.waiters(first.lock(held.name()), 1);
        assertThat(held.release()).isTrue();
        assertThat(Eventually.comes(waiter).release()).isTrue();
    }

    private static ClusterClientOptions withRefresh(ClusterTopologyRefreshOptions.Builder refresh) {
        return ClusterClientOptions.builder()
                .topologyRefreshOptions(refresh.build())
                .build();
    }

    private static long connections(RedisCluster servers) {
        return servers.nodes().stream().mapToLong(SuppliedClientIT::connections).sum();
    }

    /** Without the connection of this query. */
    private static long connections(RedisServer server) {
        try (RespClient admin = server.client()) {
            return admin.text("CLIENT", "LIST", "TYPE", "normal").lines().count()
                    + admin.text("CLIENT", "LIST", "TYPE", "pubsub").lines().count()
                    - 1;
        }
    }
}
