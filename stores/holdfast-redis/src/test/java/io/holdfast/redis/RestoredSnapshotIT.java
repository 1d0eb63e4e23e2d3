package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.Owner;
import io.holdfast.redis.internal.connection.ClusterConnections;
import io.holdfast.redis.internal.connection.SingleServerConnections;
import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.redis.internal.connection.WakeupChannels;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two clones of one process, restored from the same snapshot: they have the same wake channel and the same claim ids, and have
 * lost their connections.
 */
class RestoredSnapshotIT {

    private static final StoreSettings SETTINGS = StoreSettings.DEFAULTS;

    @Test
    void clonesHaveDifferentChannelsAfterTheyHaveReconnected() {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port());
                RespClient admin = server.client()) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + network.port());
            try (StoreClient one = clone(client);
                    StoreClient other = clone(client)) {
                assertThat(channels(admin, "CHANNELS")).containsExactly("holdfast:wake:same");

                network.cut();
                Eventually.holds(
                        "both have subscribed again",
                        () -> channels(admin, "CHANNELS").size() == 2);

                assertThat(channels(admin, "CHANNELS")).doesNotContain("holdfast:wake:same");
                onlyTheWaiterIsWoken(server.url(), one, other, "door", "window");
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void clonesHaveDifferentChannelsAfterTheyHaveReconnectedToACluster() {
        List<String> names = Stream.iterate(1, i -> i + 1)
                .map(i -> "door" + i)
                .filter(name -> RedisCluster.slotOf(name) == RedisCluster.slotOf("door1"))
                .limit(2)
                .toList();
        try (RedisCluster cluster = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port());
                RespClient admin = cluster.nodes().get(0).client()) {
            admin.call("CONFIG", "SET", "cluster-announce-port", Integer.toString(network.port()));
            RedisClusterClient client = RedisClusterClient.create("redis://127.0.0.1:" + network.port());
            String url = "redis-cluster://127.0.0.1:" + network.port();
            try (StoreClient one = clone(client);
                    StoreClient other = clone(client);
                    StoreClient holding = new StoreClient(RedisStore.at(url))) {
                // A slot is subscribed to when a claim waits there.
                Claim held = holding.claim(names.get(0), Claim.Mode.TRY);
                assertThat(holding.acquires(held)).isTrue();
                for (StoreClient clone : List.of(one, other)) {
                    Claim waiting = clone.claim(names.get(0), Claim.Mode.WAIT);
                    var unused = clone.store().acquire(waiting);
                    Eventually.holds(
                            "it waits", () -> admin.number("HEXISTS", key(names.get(0)), "p:" + waiting.id()) == 1);
                    assertThat(Eventually.comes(clone.store().release(waiting))).isFalse();
                }
                assertThat(channels(admin, "SHARDCHANNELS")).hasSize(1).allMatch(name -> name.contains(":same:"));
                assertThat(Eventually.comes(holding.store().release(held))).isTrue();

                network.cut();

                onlyTheWaiterIsWoken(url, one, other, names.get(0), names.get(1));
                assertThat(channels(admin, "SHARDCHANNELS")).hasSize(2).noneMatch(name -> name.contains(":same:"));
            } finally {
                client.shutdown();
            }
        }
    }

    /** Both clones wait under the same claim id, each for another name, and one of the names is released. */
    private static void onlyTheWaiterIsWoken(
            String url, StoreClient one, StoreClient other, String name, String otherName) {
        try (StoreClient holding = new StoreClient(RedisStore.at(url))) {
            Claim held = holding.claim(name, Claim.Mode.TRY);
            Claim alsoHeld = holding.claim(otherName, Claim.Mode.TRY);
            Eventually.holds("held", () -> holding.acquires(held));
            Eventually.holds("held", () -> holding.acquires(alsoHeld));
            CompletableFuture<Optional<Grant>> first = waits(one, name);
            CompletableFuture<Optional<Grant>> second = waits(other, otherName);
            Eventually.holds("it waits", () -> hasWaiter(holding, name));
            Eventually.holds("it waits", () -> hasWaiter(holding, otherName));

            assertThat(Eventually.comes(holding.store().release(held))).isTrue();

            Grant granted = Eventually.comes(first).orElseThrow();
            // Messages come in order: if the other clone gets that one too, it gets it first.
            assertThat(Eventually.comes(holding.store().release(alsoHeld))).isTrue();
            assertThat(Eventually.comes(second).orElseThrow().firstToken()).isNotEqualTo(granted.firstToken());
        }
    }

    private static boolean hasWaiter(StoreClient client, String name) {
        return Eventually.comes(client.store().inspect(NameFilter.exactly(name))).stream()
                .anyMatch(lock -> lock.waiters() == 1);
    }

    private static CompletableFuture<Optional<Grant>> waits(StoreClient clone, String name) {
        Claim claim = new Claim(
                name,
                new ClaimId(4711, 1),
                Claim.Mode.WAIT,
                1,
                1,
                Duration.ofSeconds(60),
                1,
                new Owner("test", 1, "clone", ""));
        return clone.store().acquire(claim);
    }

    private static StoreClient clone(RedisClient client) {
        return new StoreClient(environment -> new RedisStore(
                "clone",
                environment,
                SETTINGS,
                listener -> new SingleServerConnections(
                        client, null, environment, SETTINGS, channels(), listener, () -> {})));
    }

    private static StoreClient clone(RedisClusterClient client) {
        return new StoreClient(environment -> new RedisStore(
                "clone",
                environment,
                SETTINGS,
                listener -> new ClusterConnections(client, environment, SETTINGS, channels(), listener, () -> {})));
    }

    /** The first is from before the snapshot, the others are drawn after it. */
    private static WakeupChannels channels() {
        ConcurrentLinkedQueue<String> before = new ConcurrentLinkedQueue<>(List.of("same"));
        Supplier<String> ids = () -> Optional.ofNullable(before.poll())
                .orElseGet(() -> UUID.randomUUID().toString());
        return new WakeupChannels(SETTINGS.keyPrefix(), ids);
    }

    private static String key(String name) {
        return "holdfast:{" + name + "}";
    }

    private static List<String> channels(RespClient admin, String kind) {
        return admin.list("PUBSUB", kind, "holdfast:wake:*").stream()
                .map(String::valueOf)
                .toList();
    }
}
