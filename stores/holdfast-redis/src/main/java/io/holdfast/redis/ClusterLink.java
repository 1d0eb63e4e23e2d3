package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The servers of a cluster. Messages come by sharded channels, one for each slot in which a claim of this client has waited,
 * from the server that has the slot.
 */
final class ClusterLink implements Link {

    private final RedisClusterClient client;
    private final Environment environment;
    private final Duration timeout;
    private final Listener listener;
    private final Runnable onClose;
    private final String channel;
    private final StatefulRedisClusterConnection<String, String> dedicated;
    private final boolean ownDedicated;
    private final StatefulRedisClusterPubSubConnection<String, String> hearing;
    private final Deafness deafness;
    /** What is listened to where. */
    private final Map<StatefulRedisPubSubConnection<String, String>, Heard> listened = new ConcurrentHashMap<>();
    /** Also those that are being connected again. */
    private final Set<StatefulRedisPubSubConnection<String, String>> withEar = ConcurrentHashMap.newKeySet();

    private final Map<Integer, CompletableFuture<Void>> subscribing = new ConcurrentHashMap<>();
    private final Runnable stopWatching;
    private final AtomicBoolean renewing = new AtomicBoolean();
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
        this.deafness = new Deafness(environment, timeout);
        this.listener = listener;
        this.onClose = onClose;
        this.channel = settings.keyPrefix() + ":wake:" + id + ":";
        this.connection = client.connect();
        this.ownDedicated = settings.replicas() > 0;
        try {
            // Connections to nodes are opened when they are used, so this costs nothing without WAIT.
            this.dedicated = ownDedicated ? client.connect() : connection;
            this.hearing = client.connectPubSub();
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
    public CompletableFuture<? extends Dedicated> dedicated(String key) {
        return master(SlotHash.getSlot(key))
                .thenCompose(node -> dedicated.getConnectionAsync(node.getNodeId()))
                .thenApply(own -> new NodeConnection(own));
    }

    /** What {@code WAIT} and the scripts before it go through. */
    private record NodeConnection(StatefulRedisConnection<String, String> own) implements Dedicated {
        @Override
        public RedisClusterAsyncCommands<String, String> scripts() {
            return own.async();
        }

        @Override
        public BaseRedisAsyncCommands<String, String> replication() {
            RedisAsyncCommands<String, String> commands = own.async();
            return commands;
        }
    }

    @Override
    public String channel(String key) {
        return "s:" + channelOf(SlotHash.getSlot(key));
    }

    @Override
    public CompletableFuture<Void> listen(String key) {
        return listen(SlotHash.getSlot(key));
    }

    private CompletableFuture<Void> listen(int slot) {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> underWay = subscribing.putIfAbsent(slot, fresh);
        if (underWay != null) {
            return underWay;
        }
        // Where the slot is may have changed, and this client not have heard of it.
        var unused = inTime(subscribe(slot)
                        .exceptionallyCompose(moved -> client.refreshPartitionsAsync()
                                .toCompletableFuture()
                                .thenCompose(refreshed -> subscribe(slot))))
                .whenComplete((done, failure) -> {
                    subscribing.remove(slot, fresh);
                    if (failure != null) {
                        // It may be that nobody is there any more.
                        checkHearing();
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
        listened.keySet().removeIf(ear -> !ear.isOpen());
        listened.forEach((ear, heard) -> {
            if (heard.checking.compareAndSet(false, true)) {
                CompletableFuture<String> elsewhere = connection
                        .getConnectionAsync(heard.node)
                        .thenCompose(own -> own.async().ping());
                var unused = deafness.of(ear.async().ping().toCompletableFuture(), elsewhere)
                        .thenAccept(deaf -> {
                            heard.checking.set(false);
                            if (deaf && !closed.get() && listened.remove(ear, heard)) {
                                replace(ear, heard);
                            }
                        });
            }
        });
    }

    /** Lettuce opens another one for the next who listens there. */
    private void replace(StatefulRedisPubSubConnection<String, String> ear, Heard heard) {
        withEar.remove(ear);
        var unused = ear.closeAsync()
                .thenRun(() -> heard.slots.forEach(slot -> {
                    // The server may go on to believe that it is heard by the one that was closed, so nobody would find
                    // it deaf.
                    var unusedToo = listen(slot).exceptionally(stillDeaf -> {
                        listener.resumed(channelOf(slot));
                        return null;
                    });
                }));
    }

    /** The slots of a server whose channels are listened to by one connection. */
    private static final class Heard {
        private final String node;
        private final Set<Integer> slots = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean checking = new AtomicBoolean();

        Heard(String node) {
            this.node = node;
        }
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
        return inTime(by.getConnectionAsync(
                                node.getUri().getHost(), node.getUri().getPort())
                        .thenCompose(own -> own.async().ping())
                        .thenApply(pong -> true))
                .exceptionally(broken -> false);
    }

    private <T> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
        Scheduler.Task limit = environment
                .scheduler()
                .schedule(
                        () -> answer.completeExceptionally(
                                new RedisCommandTimeoutException("No answer within " + timeout)),
                        timeout.toNanos());
        return answer.whenComplete((done, failure) -> limit.cancel());
    }

    /** The cluster client finds the master by itself. */
    @Override
    public void demoted() {
        var unused = client.refreshPartitionsAsync();
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

    private String channelOf(int slot) {
        return channel + '{' + SlotTags.of(slot) + '}';
    }

    private CompletableFuture<RedisClusterNode> master(int slot) {
        RedisClusterNode node = client.getPartitions().getMasterBySlot(slot);
        return node != null
                ? CompletableFuture.completedFuture(node)
                : CompletableFuture.failedFuture(
                        new IllegalStateException("No server of the cluster has the slot " + slot));
    }

    private CompletableFuture<Void> subscribe(int slot) {
        return master(slot)
                .thenCompose(node -> hearing.getConnectionAsync(node.getNodeId())
                        .thenCompose(ear -> {
                            listened.computeIfAbsent(ear, fresh -> new Heard(node.getNodeId()))
                                    .slots
                                    .add(slot);
                            if (withEar.add(ear)) {
                                ear.addListener(new Ear());
                                ear.addListener(new Reconnected());
                            }
                            return ear.async().ssubscribe(channelOf(slot));
                        }));
    }

    private final class Ear extends RedisPubSubAdapter<String, String> {
        @Override
        public void smessage(String from, String message) {
            listener.heard(message);
        }

        @Override
        public void ssubscribed(String to, long count) {
            listener.resumed(to);
        }

        /** Not asked for: the slot has moved to another server. */
        @Override
        public void sunsubscribed(String from, long count) {
            listener.resumed(from);
        }
    }

    /** Lettuce subscribes again to all channels at once, which fails if they are of several slots. */
    private final class Reconnected implements RedisConnectionStateListener {
        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            listener.resumed();
        }
    }
}
