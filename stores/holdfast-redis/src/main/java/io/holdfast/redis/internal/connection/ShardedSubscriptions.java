package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a cluster client to sharded wakeup channels: one channel for each slot in which a claim waits, on the node
 * that has the slot.
 */
public final class ShardedSubscriptions {

    /*
     * Every subscription has another channel, so an old one cannot be confused with the next one of the same slot. A claim that
     * is sent while an idle channel is unsubscribed from has none: the server replies that the client has to subscribe first.
     * A claim that was queued with the old channel right before is sent again when the server has confirmed the unsubscription.
     *
     * A connection that is lost ends all subscriptions, because Lettuce manages the connections to the nodes as one and continues
     * to return one that was closed. Lettuce must not reconnect it: it would subscribe to the old channels, which this process
     * may share with clones of it.
     */

    /** A subscription that no claim has used from one sweep to the next is unsubscribed from. */
    public static final Duration SWEEP_INTERVAL = Duration.ofMinutes(1);

    private final RedisClusterClient client;
    private final WakeupChannels channels;
    private final RedisConnections.Listener listener;
    private final Environment environment;
    private final Duration timeout;
    private final PubSubHealthCheck healthCheck;
    private final Function<RedisClusterNode, CompletableFuture<String>> ping;
    private final AtomicReference<@Nullable CompletableFuture<Void>> replacing = new AtomicReference<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Connections present;

    /** @param ping sends a {@code PING} to a node on the connection for requests */
    public ShardedSubscriptions(
            RedisClusterClient client,
            WakeupChannels channels,
            RedisConnections.Listener listener,
            Environment environment,
            Duration timeout,
            Function<RedisClusterNode, CompletableFuture<String>> ping) {
        this.client = client;
        this.channels = channels;
        this.listener = listener;
        this.environment = environment;
        this.timeout = timeout;
        this.healthCheck = new PubSubHealthCheck(environment, timeout);
        this.ping = ping;
        this.present = new Connections(client.connectPubSub());
    }

    /** The channel of the slot that is subscribed to at present. */
    public String channelOf(int slot) {
        Subscription subscription = present.bySlot.get(slot);
        if (subscription == null) {
            return inSlot(channels.nameWithoutSubscribers(), slot);
        }
        subscription.used = true;
        return subscription.channel;
    }

    /** Subscribes to a new channel of the slot. */
    public CompletableFuture<Void> subscribe(int slot) {
        Connections connections = present;
        return connections.ended.get()
                ? replace().thenCompose(replaced -> present.subscribe(slot))
                : connections.subscribe(slot);
    }

    /** Subscribes in slots where claims wait without a subscription, and replaces connections that are lost or half-open. */
    public void check() {
        Connections connections = present;
        if (connections.ended.get()) {
            replaceOrReport();
        } else {
            var unused = connections.subscribeTo(waitingSlots());
            connections.check();
        }
    }

    /** Closes all subscriptions, so that their channels are not used again, and subscribes anew in slots where claims wait. */
    public void retire() {
        present.end();
        if (!closed.get()) {
            // If that fails, the next check or the next claim that has to wait retries.
            var unused = replace();
        }
    }

    public void close() {
        closed.set(true);
        Connections last = present;
        last.ended.set(true);
        LettuceConnections.closeAndWait(last.connection);
    }

    private static String inSlot(String channel, int slot) {
        return channel + ":{" + SlotHashTags.of(slot) + '}';
    }

    private Set<Integer> waitingSlots() {
        return listener.waitingKeys().stream().map(SlotHash::getSlot).collect(Collectors.toSet());
    }

    private void replaceOrReport() {
        var unused = replace().whenComplete((done, failure) -> {
            if (failure != null) {
                listener.onPubSubUnavailable(failure);
            }
        });
    }

    /** The present ones are closed when the new ones have subscribed: until then, messages may still arrive on them. */
    private CompletableFuture<Void> replace() {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> underWay = replacing.compareAndExchange(null, fresh);
        if (underWay != null) {
            return underWay;
        }
        Connections before = present;
        var unused = AsyncCalls.attempt(() -> client.connectPubSubAsync(StringCodec.UTF8))
                .thenCompose(connection -> {
                    Connections next = new Connections(connection);
                    present = next;
                    if (closed.get()) {
                        next.end();
                    }
                    // With a timeout: a server may be unreachable.
                    return AsyncCalls.withTimeout(environment, timeout, next.subscribeTo(waitingSlots()))
                            .exceptionally(late -> null);
                })
                .whenComplete((done, failure) -> {
                    replacing.set(null);
                    if (failure != null) {
                        fresh.completeExceptionally(failure);
                        return;
                    }
                    before.end();
                    fresh.complete(null);
                    if (present.ended.get()) {
                        // Retired while it was new.
                        retire();
                    }
                });
        return fresh;
    }

    private void sweepLater() {
        if (sweeping.compareAndSet(false, true)) {
            environment.scheduler().schedule(this::sweep, SWEEP_INTERVAL.toNanos());
        }
    }

    private void sweep() {
        sweeping.set(false);
        if (closed.get()) {
            return;
        }
        Connections connections = present;
        Set<Integer> waiting = waitingSlots();
        connections.bySlot.forEach((slot, subscription) -> {
            boolean inUse = waiting.contains(slot);
            if (!inUse && !subscription.used) {
                connections.unsubscribe(slot, subscription);
            }
            subscription.used = inUse;
        });
        if (!connections.bySlot.isEmpty()) {
            sweepLater();
        }
    }

    private static final class Subscription {

        private final String channel;
        private final NodeConnection node;
        /** Whether a claim has used it since the last sweep. */
        private volatile boolean used = true;

        Subscription(String channel, NodeConnection node) {
            this.channel = channel;
            this.node = node;
        }
    }

    /** The connections to all nodes with a subscription. */
    private final class Connections {

        private final StatefulRedisClusterPubSubConnection<String, String> connection;
        private final Map<StatefulRedisPubSubConnection<String, String>, NodeConnection> nodes =
                new ConcurrentHashMap<>();
        private final Map<Integer, Subscription> bySlot = new ConcurrentHashMap<>();
        private final AtomicBoolean ended = new AtomicBoolean();

        Connections(StatefulRedisClusterPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        void end() {
            ended.set(true);
            bySlot.clear();
            LettuceConnections.close(connection);
        }

        /** With a timeout: the slot may move away from a server that does not answer. A later answer is used nevertheless. */
        CompletableFuture<Void> subscribe(int slot) {
            return AsyncCalls.withTimeout(environment, timeout, AsyncCalls.attempt(() -> send(slot)));
        }

        private CompletableFuture<Void> send(int slot) {
            RedisClusterNode master = client.getPartitions().getMasterBySlot(slot);
            if (master == null || ended.get()) {
                return CompletableFuture.failedFuture(
                        master == null
                                ? ClusterConnections.noMaster(slot)
                                : new IllegalStateException("The pub/sub connections are being replaced"));
            }
            return connection.getConnectionAsync(master.getNodeId()).thenCompose(own -> {
                NodeConnection node = nodes.computeIfAbsent(own, fresh -> new NodeConnection(this, fresh, master));
                Subscription former = bySlot.get(slot);
                // To the same channel again, because the server may have dropped the subscription.
                return node.subscribe(
                        slot,
                        former != null && former.node.equals(node)
                                ? former
                                : new Subscription(inSlot(channels.newName(), slot), node));
            });
        }

        private void subscribed(int slot, Subscription subscription) {
            RedisClusterNode master = client.getPartitions().getMasterBySlot(slot);
            if (master != null
                    && !master.getNodeId().equals(subscription.node.node.getNodeId())
                    && bySlot.containsKey(slot)) {
                // The late answer of a former master.
                var unused = subscription.node.unsubscribe(subscription.channel);
                return;
            }
            Subscription former = bySlot.put(slot, subscription);
            if (ended.get()) {
                bySlot.clear();
                // Opened after the others were closed.
                LettuceConnections.close(subscription.node.connection);
                return;
            }
            if (former != null) {
                var unused = former.node.unsubscribe(former.channel);
            }
            sweepLater();
            listener.onMissedMessages(key -> SlotHash.getSlot(key) == slot);
        }

        /** If the server refuses it, the subscription is kept, or subscriptions would accumulate. */
        void unsubscribe(int slot, Subscription subscription) {
            if (bySlot.remove(slot, subscription)) {
                var unused = subscription.node.unsubscribe(subscription.channel).whenComplete((done, refused) -> {
                    if (refused != null && !ended.get()) {
                        bySlot.putIfAbsent(slot, subscription);
                    }
                    listener.onMissedMessages(key -> SlotHash.getSlot(key) == slot);
                });
            }
        }

        /** Completes when each has succeeded or failed. */
        CompletableFuture<Void> subscribeTo(Set<Integer> slots) {
            return CompletableFuture.allOf(slots.stream()
                    .filter(slot -> !bySlot.containsKey(slot))
                    // A claim that waits there gets the same failure when it polls, and logs it.
                    .map(slot -> subscribe(slot).exceptionally(failed -> null))
                    .toArray(CompletableFuture[]::new));
        }

        void check() {
            List.copyOf(nodes.values()).forEach(NodeConnection::check);
        }
    }

    /** The connection to one node. */
    private final class NodeConnection extends RedisPubSubAdapter<String, String>
            implements RedisConnectionStateListener {

        private final Connections among;
        private final StatefulRedisPubSubConnection<String, String> connection;
        private final RedisClusterNode node;
        private final AtomicBoolean checking = new AtomicBoolean();
        /** By slot, the requests to subscribe that are not answered. */
        private final Map<Integer, CompletableFuture<Void>> subscribing = new ConcurrentHashMap<>();

        NodeConnection(
                Connections among, StatefulRedisPubSubConnection<String, String> connection, RedisClusterNode node) {
            this.among = among;
            this.connection = connection;
            this.node = node;
            connection.addListener((RedisPubSubAdapter<String, String>) this);
            connection.addListener((RedisConnectionStateListener) this);
        }

        /** One request at a time for each slot, or they would pile up while the server is unresponsive. */
        CompletableFuture<Void> subscribe(int slot, Subscription wanted) {
            CompletableFuture<Void> fresh = new CompletableFuture<>();
            CompletableFuture<Void> unanswered = subscribing.putIfAbsent(slot, fresh);
            if (unanswered != null) {
                return unanswered;
            }
            var unused = AsyncCalls.attempt(
                            () -> connection.async().ssubscribe(wanted.channel).toCompletableFuture())
                    .whenComplete((done, failure) -> {
                        subscribing.remove(slot, fresh);
                        if (failure != null) {
                            fresh.completeExceptionally(failure);
                            return;
                        }
                        if (!wanted.equals(among.bySlot.get(slot))) {
                            among.subscribed(slot, wanted);
                        }
                        fresh.complete(null);
                    });
            return fresh;
        }

        CompletableFuture<Void> unsubscribe(String channel) {
            return AsyncCalls.attempt(
                    () -> connection.async().sunsubscribe(channel).toCompletableFuture());
        }

        void check() {
            if (checking.compareAndSet(false, true)) {
                CompletableFuture<String> pong =
                        AsyncCalls.attempt(() -> connection.async().ping().toCompletableFuture());
                var unused = pong.thenAccept(this::onPong);
                var unusedToo = healthCheck
                        .isHalfOpen(pong, AsyncCalls.attempt(() -> ping.apply(node)))
                        .thenAccept(halfOpen -> {
                            checking.set(false);
                            if (halfOpen && among.equals(present) && !closed.get()) {
                                replaceOrReport();
                            }
                        });
            }
        }

        /** With RESP2, Lettuce takes a message that arrives meanwhile for the answer. */
        private void onPong(String answer) {
            if (GrantMessage.parse(answer).isPresent()) {
                listener.onMessage(answer);
            }
        }

        @Override
        public void smessage(String from, String message) {
            listener.onMessage(message);
        }

        /** Because the slot has moved to another node; or because this client has unsubscribed, which needs no action. */
        @Override
        public void sunsubscribed(String from, long count) {
            int slot = SlotHash.getSlot(from);
            Subscription now = among.bySlot.get(slot);
            if (now != null && now.channel.equals(from) && among.bySlot.remove(slot, now)) {
                listener.onMissedMessages(key -> SlotHash.getSlot(key) == slot);
            }
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
            if (!among.ended.get()) {
                // At once, or Lettuce would reconnect.
                among.end();
                if (among.equals(present)) {
                    retire();
                }
            }
        }
    }
}
