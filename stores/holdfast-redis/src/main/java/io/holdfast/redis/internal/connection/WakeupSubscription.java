package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscription to the wakeup channel of this client, on a pub/sub connection to one server. A connection that is lost or
 * half-open is replaced by a new one, which subscribes to a new channel.
 */
public final class WakeupSubscription {

    private final Supplier<StatefulRedisPubSubConnection<String, String>> connector;
    private final WakeupChannels channels;
    private final Duration timeout;
    private final Executor connecting;
    private final RedisConnections.Listener listener;
    private final PubSubHealthCheck healthCheck;
    private final AtomicReference<@Nullable Subscribed> present = new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> replacing = new AtomicReference<>();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** A connection, and the channel that it is subscribed to. */
    private record Subscribed(StatefulRedisPubSubConnection<String, String> connection, String channel) {
        void close() {
            LettuceConnections.close(connection);
        }
    }

    /**
     * Subscribes.
     *
     * @param connector opens a pub/sub connection, which blocks
     * @param connecting runs blocking tasks, one after the other
     */
    public WakeupSubscription(
            Supplier<StatefulRedisPubSubConnection<String, String>> connector,
            WakeupChannels channels,
            Environment environment,
            Duration timeout,
            Executor connecting,
            RedisConnections.Listener listener) {
        this.connector = connector;
        this.channels = channels;
        this.timeout = timeout;
        this.connecting = connecting;
        this.listener = listener;
        this.healthCheck = new PubSubHealthCheck(environment, timeout);
        subscribe();
    }

    /** The channel that is subscribed to at present. */
    public String channel() {
        Subscribed subscribed = present.get();
        return subscribed == null ? channels.nameWithoutSubscribers() : subscribed.channel();
    }

    /** Subscribes to a new channel on a new connection, then closes the present one. Waiters retry after that. */
    public CompletableFuture<Void> replace() {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> underWay = replacing.compareAndExchange(null, fresh);
        if (underWay != null) {
            return underWay;
        }
        connecting.execute(() -> {
            try {
                subscribe();
                replacing.set(null);
                listener.onMissedMessages();
                fresh.complete(null);
            } catch (RuntimeException | Error failed) {
                // Also errors: the future must be completed, or claims that depend on it would wait for ever.
                replacing.set(null);
                fresh.completeExceptionally(failed);
            }
        });
        return fresh;
    }

    /** Closes the present subscription, so that its channel is not used again. */
    public void retire() {
        Subscribed before = present.getAndSet(null);
        if (before != null) {
            before.close();
        }
    }

    /**
     * Replaces the connection if it is lost or half-open.
     *
     * @param ping sends a {@code PING} on another connection to the same server
     */
    public void check(Supplier<CompletableFuture<String>> ping) {
        if (!checking.compareAndSet(false, true)) {
            return;
        }
        var unused = needsReplacement(ping)
                .thenCompose(needed -> needed && !closed.get() ? replace() : CompletableFuture.completedFuture(null))
                .whenComplete((done, failure) -> {
                    checking.set(false);
                    if (failure != null) {
                        listener.onPubSubUnavailable(failure);
                    }
                });
    }

    public void close() {
        closed.set(true);
        Subscribed last = present.getAndSet(null);
        if (last != null) {
            LettuceConnections.closeAndWait(last.connection());
        }
    }

    private CompletableFuture<Boolean> needsReplacement(Supplier<CompletableFuture<String>> ping) {
        Subscribed subscribed = present.get();
        if (subscribed == null) {
            return CompletableFuture.completedFuture(true);
        }
        return healthCheck
                .isHalfOpen(
                        AsyncCalls.attempt(
                                () -> subscribed.connection().async().ping().toCompletableFuture()),
                        AsyncCalls.attempt(ping))
                .thenApply(halfOpen -> halfOpen && subscribed.equals(present.get()));
    }

    private void subscribe() {
        if (closed.get()) {
            throw new IllegalStateException("The store was closed.");
        }
        String channel = channels.newName();
        StatefulRedisPubSubConnection<String, String> connection = connector.get();
        Subscribed fresh = new Subscribed(connection, channel);
        try {
            connection.setTimeout(timeout);
            connection.addListener(new Messages());
            connection.addListener(new Loss(fresh));
            connection.sync().subscribe(channel);
        } catch (RuntimeException failed) {
            LettuceConnections.close(connection);
            throw new IllegalStateException(
                    "Cannot subscribe to the channel " + channel + " (" + failed.getMessage()
                            + "). Waiters are notified on it. If the ACL forbids it, allow the channels with &"
                            + channel.substring(0, channel.lastIndexOf(":wake:")) + ":*",
                    failed);
        }
        Subscribed before = present.getAndSet(fresh);
        if (before != null) {
            before.close();
        }
        if (closed.get()) {
            retire();
        } else if (!connection.isOpen()) {
            lost(fresh);
        }
    }

    /** Closed at once, or Lettuce would reconnect and subscribe to the same channel. */
    private void lost(Subscribed subscribed) {
        subscribed.close();
        if (present.compareAndSet(subscribed, null) && !closed.get()) {
            // If that fails, the next claim that has to wait retries.
            var unused = replace();
        }
    }

    private final class Messages extends RedisPubSubAdapter<String, String> {
        @Override
        public void message(String from, String message) {
            listener.onMessage(message);
        }
    }

    private final class Loss implements RedisConnectionStateListener {

        private final Subscribed subscribed;

        Loss(Subscribed subscribed) {
            this.subscribed = subscribed;
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            lost(subscribed);
        }
    }
}
