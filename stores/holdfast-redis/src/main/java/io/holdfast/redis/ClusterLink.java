package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The servers of a cluster. */
final class ClusterLink implements Link {

    /** Not shared with others: it distinguishes the connections for requests from all others of the client. */
    private final RedisCodec<String, String> codec = new StringCodec(StandardCharsets.UTF_8);

    private final RedisClusterClient client;
    private final Environment environment;
    private final Duration timeout;
    private final Listener listener;
    private final Runnable onClose;
    private final RedisConnectionStateListener nodes = new NodeConnections();
    private final ClusterConnection requests;
    /** The same if there is no {@code WAIT}. */
    private final ClusterConnection dedicated;

    private final ShardedSubscriptions subscriptions;
    private final Map<Integer, CompletableFuture<Void>> subscribing = new ConcurrentHashMap<>();
    private final Runnable stopWatching;
    private final TopologyRefresh topology;

    ClusterLink(
            RedisClusterClient client,
            Environment environment,
            Settings settings,
            WakeChannels channels,
            Listener listener,
            Runnable onClose) {
        this.client = client;
        this.environment = environment;
        this.timeout = settings.timeout();
        this.topology = new TopologyRefresh(client, environment.ticker());
        this.listener = listener;
        this.onClose = onClose;
        this.subscriptions = new ShardedSubscriptions(client, channels, listener, environment, timeout, this::ping);
        client.addListener(nodes);
        try {
            this.requests = connect(timeout);
            this.dedicated = settings.replicas() > 0 ? connect(timeout.plus(settings.replicaTimeout())) : requests;
        } catch (RuntimeException failed) {
            client.removeListener(nodes);
            subscriptions.close();
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
        return requests.get().async();
    }

    @Override
    public CompletableFuture<RedisAsyncCommands<String, String>> dedicated(String key) {
        int slot = SlotHash.getSlot(key);
        RedisClusterNode node = client.getPartitions().getMasterBySlot(slot);
        return node == null
                ? CompletableFuture.failedFuture(noMaster(slot))
                : dedicated
                        .node(node.getUri().getHost(), node.getUri().getPort())
                        .thenApply(StatefulRedisConnection::async);
    }

    static IllegalStateException noMaster(int slot) {
        return new IllegalStateException("No master of the cluster serves slot " + slot
                + ", so its locks cannot be used. Check CLUSTER SLOTS, and restart or replace the missing master.");
    }

    /** Lettuce connects only to nodes that it knows, and a slot may be moving to one that has just joined. */
    @Override
    public CompletableFuture<RedisAsyncCommands<String, String>> dedicated(Redirection to) {
        return dedicated
                .node(to.host(), to.port())
                .exceptionallyCompose(
                        unknown -> topology.run().thenCompose(refreshed -> dedicated.node(to.host(), to.port())))
                .thenApply(StatefulRedisConnection::async);
    }

    @Override
    public String channel(String key) {
        return "s:" + subscriptions.channelOf(SlotHash.getSlot(key));
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
        CompletableFuture<Void> subscribed = subscriptions
                .subscribe(slot)
                .exceptionallyCompose(moved -> topology.run().thenCompose(refreshed -> subscriptions.subscribe(slot)));
        var unused = Calls.inTime(environment, timeout, subscribed).whenComplete((done, failure) -> {
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
    public void checkHearing() {
        subscriptions.check();
    }

    /** A replica may have taken over from a server that does not answer. Lettuce does not refresh the topology for a timeout. */
    @Override
    public void silent() {
        topology.runUnlessRecent();
        requests.unresponsive();
        if (!dedicated.equals(requests)) {
            dedicated.unresponsive();
        }
    }

    /** The cluster client finds the master by itself. */
    @Override
    public void demoted() {
        var unused = topology.run();
    }

    /** Of the client: it bounds handshakes. */
    Duration clientTimeout() {
        return requests.get().getTimeout();
    }

    @Override
    public void close() {
        stopWatching.run();
        client.removeListener(nodes);
        subscriptions.close();
        requests.close();
        if (!dedicated.equals(requests)) {
            dedicated.close();
        }
        onClose.run();
    }

    private ClusterConnection connect(Duration patience) {
        return new ClusterConnection(client, codec, environment, patience, this::announce, listener::resumed);
    }

    private CompletableFuture<String> ping(RedisClusterNode node) {
        return requests.ping(node);
    }

    /** Requests are about to be sent by connections that take the place of others. */
    private void announce() {
        subscriptions.retire();
    }

    /**
     * Follows the connections for requests to all nodes, of which Lettuce tells after it has written to them what was waiting. So
     * it is their loss that counts: before anything can be sent by a connection that takes the place of a lost one, the
     * channels are retired.
     */
    private final class NodeConnections implements RedisConnectionStateListener {

        /** Whether they are connected at present. */
        private final Map<RedisChannelHandler<?, ?>, Boolean> known = new ConcurrentHashMap<>();

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            if (isOurs(connection)) {
                known.keySet().removeIf(RedisChannelHandler::isClosed);
                if (known.put(connection, true) != null) {
                    announce();
                }
            }
        }

        /** Also called for each attempt to connect again that is broken off. */
        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            if (connection.isClosed()) {
                known.remove(connection);
            } else if (known.replace(connection, true, false)) {
                announce();
                if (!connection.getOptions().isAutoReconnect()) {
                    known.remove(connection);
                    requests.lost();
                    if (!dedicated.equals(requests)) {
                        dedicated.lost();
                    }
                }
            }
        }

        private boolean isOurs(RedisChannelHandler<?, ?> connection) {
            return connection instanceof StatefulConnection<?, ?> open
                    && open.getCodec().equals(codec);
        }
    }
}
