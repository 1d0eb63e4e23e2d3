package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Connections to the nodes of a Cluster, which Lettuce opens on first use and manages as one. They are replaced together, if one of
 * them is half-open or if one was lost that Lettuce does not reconnect.
 */
public final class ClusterNodeConnections {

    private final RedisClusterClient client;
    private final RedisCodec<String, String> codec;
    private final Environment environment;
    private final Duration timeout;
    private final Runnable beforeReplacement;
    private final Runnable afterReplacement;
    private final ReconnectBackoff backoff;
    private final AtomicBoolean replacing = new AtomicBoolean();
    /** A connection was lost and is not yet replaced. */
    private final AtomicBoolean broken = new AtomicBoolean();

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile StatefulRedisClusterConnection<String, String> present;

    /**
     * Connects.
     *
     * @param beforeReplacement is called before a request can be sent on new connections
     * @param afterReplacement is called when requests are sent on new connections
     */
    public ClusterNodeConnections(
            RedisClusterClient client,
            RedisCodec<String, String> codec,
            Environment environment,
            Duration timeout,
            Runnable beforeReplacement,
            Runnable afterReplacement) {
        this.client = client;
        this.codec = codec;
        this.environment = environment;
        this.timeout = timeout;
        this.beforeReplacement = beforeReplacement;
        this.afterReplacement = afterReplacement;
        this.backoff = new ReconnectBackoff(environment);
        this.present = client.connect(codec);
    }

    public StatefulRedisClusterConnection<String, String> get() {
        return present;
    }

    /** By host and port, as requests are sent. */
    public CompletableFuture<String> ping(RedisClusterNode node) {
        return ping(present, node);
    }

    /**
     * A request was not answered in time; by which node is not known. If there is one that answers on a new connection and not on
     * the present one, all are replaced. A node that does not answer at all is no reason.
     */
    public void onRequestTimeout() {
        if (closed.get() || !replacing.compareAndSet(false, true)) {
            return;
        }
        var unused = connect()
                .thenCompose(
                        fresh -> isBetter(fresh).thenCompose(better -> better ? replaceBy(fresh) : fresh.closeAsync()))
                .whenComplete((done, unreachable) -> {
                    replacing.set(false);
                    if (broken.get()) {
                        replaceLost();
                    }
                });
    }

    /** A connection to a node was lost, and Lettuce does not reconnect it. */
    public void onLost() {
        broken.set(true);
        replaceLost();
    }

    public void close() {
        closed.set(true);
        LettuceConnections.closeAndWait(present);
    }

    private void replaceLost() {
        if (closed.get() || !replacing.compareAndSet(false, true)) {
            return;
        }
        broken.set(false);
        var unused = connect().thenCompose(this::replaceBy).whenComplete((done, unreachable) -> {
            replacing.set(false);
            if (unreachable != null) {
                broken.set(true);
            } else {
                backoff.reset();
            }
            if (broken.get()) {
                environment.scheduler().schedule(this::replaceLost, backoff.next());
            }
        });
    }

    private CompletableFuture<StatefulRedisClusterConnection<String, String>> connect() {
        return AsyncCalls.attempt(() -> client.connectAsync(codec));
    }

    private CompletableFuture<Void> replaceBy(StatefulRedisClusterConnection<String, String> fresh) {
        beforeReplacement.run();
        StatefulRedisClusterConnection<String, String> before = present;
        present = fresh;
        if (closed.get()) {
            return fresh.closeAsync();
        }
        afterReplacement.run();
        return before.closeAsync();
    }

    private CompletableFuture<Boolean> isBetter(StatefulRedisClusterConnection<String, String> fresh) {
        CompletableFuture<Boolean> none = CompletableFuture.completedFuture(false);
        return client.getPartitions().stream()
                .filter(node -> !node.getSlots().isEmpty())
                .map(node -> answers(present, node).thenCompose(alive -> alive ? none : answers(fresh, node)))
                .reduce(none, (one, other) -> one.thenCombine(other, Boolean::logicalOr));
    }

    private CompletableFuture<Boolean> answers(
            StatefulRedisClusterConnection<String, String> by, RedisClusterNode node) {
        return AsyncCalls.withTimeout(environment, timeout, ping(by, node).thenApply(pong -> true))
                .exceptionally(broken -> false);
    }

    private static CompletableFuture<String> ping(
            StatefulRedisClusterConnection<String, String> by, RedisClusterNode node) {
        return AsyncCalls.attempt(() -> by.getConnectionAsync(
                        node.getUri().getHost(), node.getUri().getPort())
                .thenCompose(own -> own.async().ping()));
    }

    /** The connection to the node of that address. */
    public CompletableFuture<StatefulRedisConnection<String, String>> node(String host, int port) {
        return AsyncCalls.attempt(() -> present.getConnectionAsync(host, port));
    }
}
