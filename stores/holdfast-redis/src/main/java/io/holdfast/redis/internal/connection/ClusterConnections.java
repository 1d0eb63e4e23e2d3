package io.holdfast.redis.internal.connection;

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

/** Connections to the servers of a Cluster: for requests, and for pub/sub messages on sharded channels. */
public final class ClusterConnections implements RedisConnections {

    /** An instance that is not shared: it distinguishes the connections for requests from all others of the client. */
    private final RedisCodec<String, String> codec = new StringCodec(StandardCharsets.UTF_8);

    private final RedisClusterClient client;
    private final Environment environment;
    private final Duration timeout;
    private final Listener listener;
    private final Runnable onClose;
    private final RedisConnectionStateListener nodes = new NodeConnections();
    private final ClusterNodeConnections requests;
    /** The same as {@link #requests} unless replicas have to confirm. */
    private final ClusterNodeConnections dedicated;

    private final ShardedSubscriptions subscriptions;
    private final Map<Integer, CompletableFuture<Void>> subscribing = new ConcurrentHashMap<>();
    private final Runnable stopTopologyEvents;
    private final TopologyRefresh topology;

    public ClusterConnections(
            RedisClusterClient client,
            Environment environment,
            StoreSettings settings,
            WakeupChannels channels,
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
        this.stopTopologyEvents = client.getResources()
                .eventBus()
                .get()
                .filter(ClusterTopologyChangedEvent.class::isInstance)
                .subscribe(changed -> listener.onMissedMessages())::dispose;
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

    public static IllegalStateException noMaster(int slot) {
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
    public String wakeupChannel(String key) {
        return WakeupChannels.SHARDED + subscriptions.channelOf(SlotHash.getSlot(key));
    }

    @Override
    public CompletableFuture<Void> subscribe(String key) {
        int slot = SlotHash.getSlot(key);
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> underWay = subscribing.putIfAbsent(slot, fresh);
        if (underWay != null) {
            return underWay;
        }
        // The slot may have moved without a topology refresh of this client.
        CompletableFuture<Void> subscribed = subscriptions
                .subscribe(slot)
                .exceptionallyCompose(moved -> topology.run().thenCompose(refreshed -> subscriptions.subscribe(slot)));
        var unused = AsyncCalls.withTimeout(environment, timeout, subscribed).whenComplete((done, failure) -> {
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
    public int scriptGroup(String key) {
        return SlotHash.getSlot(key);
    }

    @Override
    public void checkPubSub() {
        subscriptions.check();
    }

    /** A replica may have been promoted in place of a server that is unresponsive. Lettuce does not refresh the topology for a timeout. */
    @Override
    public void onRequestTimeout() {
        topology.runUnlessRecent();
        requests.onRequestTimeout();
        if (!dedicated.equals(requests)) {
            dedicated.onRequestTimeout();
        }
    }

    /** The cluster client finds the master by a topology refresh. */
    @Override
    public void onNotMaster() {
        var unused = topology.run();
    }

    /** The timeout of the client, which limits handshakes. */
    public Duration clientTimeout() {
        return requests.get().getTimeout();
    }

    @Override
    public void close() {
        stopTopologyEvents.run();
        client.removeListener(nodes);
        subscriptions.close();
        requests.close();
        if (!dedicated.equals(requests)) {
            dedicated.close();
        }
        onClose.run();
    }

    private ClusterNodeConnections connect(Duration requestTimeout) {
        return new ClusterNodeConnections(
                client, codec, environment, requestTimeout, this::retireChannels, listener::onMissedMessages);
    }

    private CompletableFuture<String> ping(RedisClusterNode node) {
        return requests.ping(node);
    }

    /** Before requests are sent on connections that replace others. */
    private void retireChannels() {
        subscriptions.retire();
    }

    /**
     * Tracks the connections for requests to all nodes. Lettuce notifies of a new connection after it has written to it what was
     * buffered. So their loss is what counts: the channels are retired before anything can be sent on a connection that replaces a
     * lost one.
     */
    private final class NodeConnections implements RedisConnectionStateListener {

        /** Whether each is connected at present. */
        private final Map<RedisChannelHandler<?, ?>, Boolean> known = new ConcurrentHashMap<>();

        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
            if (isForRequests(connection)) {
                known.keySet().removeIf(RedisChannelHandler::isClosed);
                if (known.put(connection, true) != null) {
                    retireChannels();
                }
            }
        }

        /** Also called for each attempt to reconnect that fails. */
        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            if (connection.isClosed()) {
                known.remove(connection);
            } else if (known.replace(connection, true, false)) {
                retireChannels();
                if (!connection.getOptions().isAutoReconnect()) {
                    known.remove(connection);
                    requests.onLost();
                    if (!dedicated.equals(requests)) {
                        dedicated.onLost();
                    }
                }
            }
        }

        private boolean isForRequests(RedisChannelHandler<?, ?> connection) {
            return connection instanceof StatefulConnection<?, ?> open
                    && open.getCodec().equals(codec);
        }
    }
}
