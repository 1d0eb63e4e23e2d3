package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections for requests are lost and opened again: the listener is told before a request can be sent. */
class ReconnectIT {

    private static final Settings SETTINGS = Settings.DEFAULTS;

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final Environment environment = new Environment(
            Ticker.system(),
            (task, delay) -> {
                ScheduledFuture<?> future = threads.schedule(task, delay, TimeUnit.NANOSECONDS);
                return () -> future.cancel(false);
            },
            threads,
            () -> 0.5);
    private final Recorder recorder = new Recorder();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Keeps what can be sent with while it is told. */
    private static final class Recorder implements Link.Listener {
        private final AtomicReference<Link> link = new AtomicReference<>();
        private final AtomicReference<RedisClusterAsyncCommands<String, String>> meanwhile = new AtomicReference<>();
        private final AtomicInteger reconnects = new AtomicInteger();

        @Override
        public void reconnected() {
            if (link.get() != null) {
                meanwhile.set(link.get().commands());
            }
            reconnects.incrementAndGet();
        }

        @Override
        public void heard(String message) {}

        @Override
        public Collection<String> awaited() {
            return List.of();
        }

        @Override
        public void resumed() {}

        @Override
        public void resumed(int group) {}

        @Override
        public void deaf(Throwable reason) {}
    }

    @Test
    void listenerIsToldBeforeRequestsGoToTheNewConnection() {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port())) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + network.port());
            try (Link link = new SingleLink(
                    client, null, environment, SETTINGS, new WakeChannels("holdfast"), recorder, () -> {})) {
                recorder.link.set(link);
                RedisClusterAsyncCommands<String, String> former = link.commands();

                network.cut();
                Eventually.holds("it answers again", () -> answers(link));

                assertThat(recorder.reconnects).hasValue(1);
                assertThat(recorder.meanwhile).hasValue(former);
                assertThat(link.commands()).isNotSameAs(former);
                assertThatThrownBy(() -> former.ping().get(1, TimeUnit.SECONDS)).isNotNull();
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void listenerIsToldOfADedicatedConnectionBeforeItIsUsed() {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port())) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + network.port());
            try (Link link = new SingleLink(
                    client, null, environment, SETTINGS, new WakeChannels("holdfast"), recorder, () -> {})) {
                var former = Eventually.comes(link.dedicated("apples"));
                assertThat(recorder.reconnects).hasValue(1);

                network.cut();
                Eventually.holds("there is another one", () -> {
                    int before = recorder.reconnects.get();
                    var own = Eventually.comes(link.dedicated("apples"));
                    return !own.equals(former) && before > 1;
                });
            } finally {
                client.shutdown();
            }
        }
    }

    @Test
    void listenerIsToldOfTheLossOfANodeOfAClusterWhichIsBeforeItIsConnectedAgain() {
        try (RedisCluster cluster = RedisCluster.start(1);
                TcpProxy network = TcpProxy.to(cluster.nodes().get(0).port());
                RespClient admin = cluster.nodes().get(0).client()) {
            admin.call("CONFIG", "SET", "cluster-announce-port", Integer.toString(network.port()));
            RedisClusterClient client = RedisClusterClient.create("redis://127.0.0.1:" + network.port());
            try (Link link =
                    new ClusterLink(client, environment, SETTINGS, new WakeChannels("holdfast"), recorder, () -> {})) {
                assertThat(Eventually.comes(link.commands().exists("apples").toCompletableFuture()))
                        .isZero();
                int before = recorder.reconnects.get();
                assertThat(before).isPositive();

                network.refuse();
                network.cut();
                Eventually.holds("it is told of the loss", () -> recorder.reconnects.get() > before);

                int after = recorder.reconnects.get();
                network.accept();
                Eventually.holds("it answers again", () -> answers(link));
                Eventually.holds("it is told of the connection", () -> recorder.reconnects.get() > after);
            } finally {
                client.shutdown();
            }
        }
    }

    private static boolean answers(Link link) {
        try {
            link.commands().exists("apples").get(10, TimeUnit.SECONDS);
            return true;
        } catch (Exception notYet) {
            return false;
        }
    }
}
