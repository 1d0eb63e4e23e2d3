package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The servers of a cluster. */
final class ClusterLink implements Link {

    private final RedisClusterClient client;
    private final Environment environment;
    private final Duration timeout;
    private final Listener listener;
    private final Runnable onClose;
    private final StatefulRedisClusterConnection<String, String> dedicated;
    private final boolean ownDedicated;
    private final ClusterHearing hearing;
    private final Map<Integer, CompletableFuture<Void>> subscribing = new ConcurrentHashMap<>();
    private final Runnable stopWatching;
    private final AtomicBoolean renewing = new AtomicBoolean();
    private final AtomicBoolean refreshing = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile StatefulRedisClusterConnection<String, String> connection;

    ClusterLink(
            RedisClusterClient client,
            Environment environment,
            Settings settings,
            String id,
            Listener listener,
            Runnable onClose) {
        this.client = client;
        this.environment = environment;
        this.timeout = settings.timeout();
        this.listener = listener;
        this.onClose = onClose;
        this.connection = client.connect();
        this.ownDedicated = settings.replicas() > 0;
        try {
            // Connections to nodes are opened when they are used, so this costs nothing without WAIT.
            this.dedicated = ownDedicated ? client.connect() : connection;
            this.hearing = new ClusterHearing(
                    client,
                    settings.keyPrefix() + ":wake:" + id + ":",
                    listener,
                    environment,
                    timeout,
                    node -> ping(connection, node));
        } catch (RuntimeException failed) {
            connection.close();
            throw failed;
        }
        this.stopWatching = client.getResources()
                .eventBus()
                .get()
                .filter(ClusterTopologyChangedEvent.class::isInstance)
                .subscribe(changed -> listener.resumed())::dispose;
    }

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        return connection.async();
    }

    @Override
    public CompletableFuture<RedisAsyncCommands<String, String>> dedicated(String key) {
        return master(SlotHash.getSlot(key))
                .thenCompose(node -> dedicated.getConnectionAsync(node.getNodeId()))
                .thenApply(StatefulRedisConnection::async);
    }

    /** Lettuce connects only to nodes that it knows, and a slot may be moving to one that has just joined. */
    @Override
    public CompletableFuture<RedisAsyncCommands<String, String>> dedicated(Redirection to) {
        return Calls.attempt(() -> dedicated.getConnectionAsync(to.host(), to.port()))
                .exceptionallyCompose(unknown -> client.refreshPartitionsAsync()
                        .toCompletableFuture()
                        .thenCompose(refreshed -> dedicated.getConnectionAsync(to.host(), to.port())))
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    public String channel(String key) {
        return "s:" + hearing.channelOf(SlotHash.getSlot(key));
    }

    @Override
    public CompletableFuture<Void> listen(String key) {
        int slot = SlotHash.getSlot(key);
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> underWay = subscribing.putIfAbsent(slot, fresh);
        if (underWay != null) {
            return underWay;
        }
        // Where the slot is may have changed, and this client not have heard of it.
        var unused = inTime(hearing.subscribe(slot)
                        .exceptionallyCompose(moved -> client.refreshPartitionsAsync()
                                .toCompletableFuture()
                                .thenCompose(refreshed -> hearing.subscribe(slot))))
                .whenComplete((done, failure) -> {
                    subscribing.remove(slot, fresh);
                    if (failure != null) {
                        fresh.completeExceptionally(failure);
                    } else {
                        fresh.complete(null);
                    }
                });
        return fresh;
    }

    @Override
    public int group(String key) {
        return SlotHash.getSlot(key);
    }

    @Override
    public CompletableFuture<List<String>> scan(String pattern) {
        return Scans.keys(connection.async(), pattern);
    }

    @Override
    public void checkHearing() {
        hearing.check();
    }

    /**
     * Which server it was is not known. If there is one that answers by a new connection and not by the present one, all
     * connections are replaced: Lettuce keeps them together. One that does not answer at all is no reason.
     */
    @Override
    public void silent() {
        if (closed.get() || !renewing.compareAndSet(false, true)) {
            return;
        }
        var unused = client.connectAsync(StringCodec.UTF8)
                .thenCompose(
                        fresh -> isBetter(fresh).thenCompose(better -> better ? replaceBy(fresh) : fresh.closeAsync()))
                .whenComplete((done, unreachable) -> renewing.set(false));
    }

    private CompletableFuture<Void> replaceBy(StatefulRedisClusterConnection<String, String> fresh) {
        StatefulRedisClusterConnection<String, String> before = connection;
        connection = fresh;
        if (closed.get()) {
            return fresh.closeAsync();
        }
        listener.resumed();
        return before.closeAsync();
    }

    private CompletableFuture<Boolean> isBetter(StatefulRedisClusterConnection<String, String> fresh) {
        CompletableFuture<Boolean> none = CompletableFuture.completedFuture(false);
        return client.getPartitions().stream()
                .filter(node -> !node.getSlots().isEmpty())
                .map(node -> answers(connection, node).thenCompose(alive -> alive ? none : answers(fresh, node)))
                .reduce(none, (one, other) -> one.thenCombine(other, Boolean::logicalOr));
    }

    private CompletableFuture<Boolean> answers(
            StatefulRedisClusterConnection<String, String> by, RedisClusterNode node) {
        return inTime(ping(by, node).thenApply(pong -> true)).exceptionally(broken -> false);
    }

    /** By host and port, as requests go. */
    private static CompletableFuture<String> ping(
            StatefulRedisClusterConnection<String, String> by, RedisClusterNode node) {
        return Calls.attempt(() -> by.getConnectionAsync(
                        node.getUri().getHost(), node.getUri().getPort())
                .thenCompose(own -> own.async().ping()));
    }

    private <T> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
        return Calls.inTime(environment, timeout, answer);
    }

    /** The cluster client finds the master by itself. One refresh at a time: every request that is redirected calls this. */
    @Override
    public void demoted() {
        if (refreshing.compareAndSet(false, true)) {
            var unused = Calls.attempt(() -> client.refreshPartitionsAsync().toCompletableFuture())
                    .whenComplete((done, failure) -> refreshing.set(false));
        }
    }

    @Override
    public void close() {
        closed.set(true);
        stopWatching.run();
        hearing.close();
        connection.close();
        if (ownDedicated) {
            dedicated.close();
        }
        onClose.run();
    }

    private CompletableFuture<RedisClusterNode> master(int slot) {
        RedisClusterNode node = client.getPartitions().getMasterBySlot(slot);
        return node != null
                ? CompletableFuture.completedFuture(node)
                : CompletableFuture.failedFuture(
                        new IllegalStateException("No server of the cluster has the slot " + slot));
    }
}
