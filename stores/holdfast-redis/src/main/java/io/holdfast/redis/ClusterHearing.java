package io.holdfast.redis;

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
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * How messages come in a cluster: by sharded channels, one for each slot in which a claim of this client waits, from the server
 * that has the slot.
 */
final class ClusterHearing {

    private final RedisClusterClient client;
    private final String channel;
    private final Link.Listener listener;
    private final Environment environment;
    private final Duration timeout;
    private final Deafness deafness;
    private final Function<RedisClusterNode, CompletableFuture<String>> ping;
    private final AtomicBoolean replacing = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile Ears ears;

    /** @param ping asks a server for a sign of life by the connection for requests */
    ClusterHearing(
            RedisClusterClient client,
            String channel,
            Link.Listener listener,
            Environment environment,
            Duration timeout,
            Function<RedisClusterNode, CompletableFuture<String>> ping) {
        this.client = client;
        this.channel = channel;
        this.listener = listener;
        this.environment = environment;
        this.timeout = timeout;
        this.deafness = new Deafness(environment, timeout);
        this.ping = ping;
        this.ears = new Ears(client.connectPubSub());
    }

    String channelOf(int slot) {
        return channel + '{' + SlotTags.of(slot) + '}';
    }

    CompletableFuture<Void> subscribe(int slot) {
        return ears.subscribe(slot);
    }

    /** Sees to it that what is waited for can be heard. */
    void check() {
        Ears present = ears;
        var unused = present.listenTo(listener.awaited());
        present.check();
    }

    void close() {
        closed.set(true);
        ears.connection.close();
    }

    /**
     * All of them, for Lettuce keeps them together, and goes on to give out one that was closed. The server may go on to believe
     * that it is heard by the old ones, so nobody would find the new ones deaf: they have to listen before they are asked to.
     */
    private void replace(Ears before) {
        if (closed.get() || !before.equals(ears) || !replacing.compareAndSet(false, true)) {
            return;
        }
        var unused = client.connectPubSubAsync(StringCodec.UTF8)
                .thenCompose(fresh -> {
                    Ears next = new Ears(fresh);
                    ears = next;
                    if (closed.get()) {
                        return fresh.closeAsync();
                    }
                    // Not for ever: a server may be gone.
                    return Calls.inTime(environment, timeout, next.listenTo(listener.awaited()))
                            .exceptionally(late -> null)
                            .thenRun(() -> {
                                var unusedToo = before.connection.closeAsync();
                            });
                })
                .whenComplete((done, unreachable) -> {
                    replacing.set(false);
                    if (unreachable != null) {
                        listener.deaf(unreachable);
                    }
                });
    }

    /** One connection for each server that is listened to. */
    private final class Ears {

        private final StatefulRedisClusterPubSubConnection<String, String> connection;
        private final Map<StatefulRedisPubSubConnection<String, String>, Ear> all = new ConcurrentHashMap<>();
        private final Map<Integer, Ear> bySlot = new ConcurrentHashMap<>();
        private final Map<Integer, CompletableFuture<Void>> underWay = new ConcurrentHashMap<>();

        Ears(StatefulRedisClusterPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        /** One request at a time for each slot: while its server is gone, they would pile up. */
        CompletableFuture<Void> subscribe(int slot) {
            CompletableFuture<Void> fresh = new CompletableFuture<>();
            CompletableFuture<Void> present = underWay.putIfAbsent(slot, fresh);
            if (present != null) {
                return present;
            }
            var unused = Calls.attempt(() -> send(slot)).whenComplete((done, failure) -> {
                underWay.remove(slot, fresh);
                if (failure != null) {
                    fresh.completeExceptionally(failure);
                } else {
                    fresh.complete(null);
                }
            });
            return fresh;
        }

        private CompletableFuture<Void> send(int slot) {
            RedisClusterNode master = client.getPartitions().getMasterBySlot(slot);
            if (master == null) {
                return CompletableFuture.failedFuture(
                        new IllegalStateException("No server of the cluster has the slot " + slot));
            }
            return connection.getConnectionAsync(master.getNodeId()).thenCompose(own -> {
                Ear ear = all.computeIfAbsent(own, fresh -> new Ear(this, fresh, master));
                return own.async().ssubscribe(channelOf(slot)).thenRun(() -> bySlot.put(slot, ear));
            });
        }

        /** Answered when all is done that can be. */
        CompletableFuture<Void> listenTo(Collection<String> keys) {
            return CompletableFuture.allOf(keys.stream()
                    .map(SlotHash::getSlot)
                    .distinct()
                    .filter(slot -> !bySlot.containsKey(slot))
                    // Who waits there is told so when it asks, and says it.
                    .map(slot -> subscribe(slot).exceptionally(stillDeaf -> null))
                    .toArray(CompletableFuture[]::new));
        }

        void check() {
            // Those of servers that have left the cluster.
            bySlot.values().removeIf(Ear::isClosed);
            all.values().removeIf(Ear::isClosed);
            List.copyOf(all.values()).forEach(Ear::check);
        }
    }

    private final class Ear extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

        private final Ears among;
        private final StatefulRedisPubSubConnection<String, String> connection;
        private final RedisClusterNode server;
        private final AtomicBoolean checking = new AtomicBoolean();

        Ear(Ears among, StatefulRedisPubSubConnection<String, String> connection, RedisClusterNode server) {
            this.among = among;
            this.connection = connection;
            this.server = server;
            connection.addListener((RedisPubSubAdapter<String, String>) this);
            connection.addListener((RedisConnectionStateListener) this);
        }

        boolean isClosed() {
            return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
        }

        void check() {
            if (checking.compareAndSet(false, true)) {
                CompletableFuture<String> pong =
                        Calls.attempt(() -> connection.async().ping().toCompletableFuture());
                var unused = pong.thenAccept(this::answered);
                var unusedToo = deafness.of(pong, Calls.attempt(() -> ping.apply(server)))
                        .thenAccept(deaf -> {
                            checking.set(false);
                            if (deaf) {
                                replace(among);
                            }
                        });
            }
        }

        /** With the older protocol, Lettuce takes a message that comes meanwhile for the answer. */
        private void answered(String answer) {
            if (Push.parse(answer).isPresent()) {
                listener.heard(answer);
            }
        }

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
            among.bySlot.keySet().removeIf(slot -> channelOf(slot).equals(from));
            listener.resumed(from);
        }

        /** Lettuce subscribes again to all channels at once, which fails if they are of several slots. */
        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            among.bySlot.values().removeIf(this::equals);
            listener.resumed();
        }
    }
}
