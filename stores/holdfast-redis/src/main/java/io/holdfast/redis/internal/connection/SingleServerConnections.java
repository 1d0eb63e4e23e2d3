package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import io.holdfast.spi.support.DaemonThreads;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Connections to one server, or to the master that Sentinel names: one for requests, and one for pub/sub messages. */
public final class SingleServerConnections implements RedisConnections {

    /*
     * A connection that was lost is closed and replaced by a new one, also if Lettuce would reconnect it (`autoReconnect` of a
     * client of the application). The reason is the order. Lettuce writes to a connection that it has re-established before it
     * notifies its listeners. Here the wakeup channel is retired first, and only then can requests use the new connection. So a
     * process that was restored from a snapshot, which has lost its connections, sends no claim with the wakeup channel that
     * it shares with its clones.
     */

    private final RedisClient client;
    private final @Nullable RedisURI uri;
    private final Environment environment;
    private final Listener listener;
    private final Runnable onClose;
    private final WakeupSubscription subscription;
    private final ReconnectBackoff backoff;
    private final AtomicReference<@Nullable CompletableFuture<StatefulRedisConnection<String, String>>> dedicated =
            new AtomicReference<>();
    private final AtomicBoolean replacing = new AtomicBoolean();
    /** Requests that were refused because the server is not the master, since the connection was last closed for that. */
    private final AtomicInteger notMasterReplies = new AtomicInteger();

    private final ExecutorService connecting = connecting();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile StatefulRedisConnection<String, String> connection;

    /** Connects; {@code uri} is null for a client that has a URI. */
    public SingleServerConnections(
            RedisClient client,
            @Nullable RedisURI uri,
            Environment environment,
            StoreSettings settings,
            WakeupChannels channels,
            Listener listener,
            Runnable onClose) {
        this.client = client;
        this.uri = uri;
        this.environment = environment;
        this.listener = listener;
        this.onClose = onClose;
        this.backoff = new ReconnectBackoff(environment);
        this.connection = connect();
        try {
            subscription = new WakeupSubscription(
                    () -> uri == null ? client.connectPubSub() : client.connectPubSub(uri),
                    channels,
                    environment,
                    settings.timeout(),
                    connecting,
                    listener);
        } catch (RuntimeException failed) {
            connection.close();
            throw failed;
        }
        watch(connection);
    }

    @Override
    public RedisClusterAsyncCommands<String, String> commands() {
        return connection.async();
    }

    @Override
    public CompletableFuture<RedisAsyncCommands<String, String>> dedicated(String key) {
        CompletableFuture<StatefulRedisConnection<String, String>> fresh = new CompletableFuture<>();
        CompletableFuture<StatefulRedisConnection<String, String>> present = dedicated.compareAndExchange(null, fresh);
        if (present == null) {
            connecting.execute(() -> {
                try {
                    StatefulRedisConnection<String, String> opened = connect();
                    opened.addListener(new Loss(() -> closeDedicated(fresh)));
                    renewSubscription();
                    fresh.complete(opened);
                    if (!opened.isOpen()) {
                        closeDedicated(fresh);
                    }
                } catch (RuntimeException | Error failed) {
                    dedicated.compareAndSet(fresh, null);
                    fresh.completeExceptionally(failed);
                }
            });
        }
        return (present == null ? fresh : present).thenApply(StatefulRedisConnection::async);
    }

    @Override
    public CompletableFuture<RedisAsyncCommands<String, String>> dedicated(Redirection to) {
        return CompletableFuture.failedFuture(
                new IllegalStateException("The server is a node of a cluster and redirects to " + to.host() + ":"
                        + to.port() + ". Use a redis-cluster:// URL or a RedisClusterClient."));
    }

    @Override
    public String wakeupChannel(String key) {
        return WakeupChannels.ORDINARY + subscription.channel();
    }

    /** On a new connection. The present one may be half-open: then the server does not have its subscription. */
    @Override
    public CompletableFuture<Void> subscribe(String key) {
        return subscription.replace();
    }

    @Override
    public int scriptGroup(String key) {
        return 0;
    }

    @Override
    public void checkPubSub() {
        subscription.check(() -> connection.async().ping().toCompletableFuture());
    }

    /**
     * Answers are in order, so no request was answered since that one; and while there is something to send, the operating system
     * would retry for a quarter of an hour before it closes the connection. If a new connection can be opened, it replaces this
     * one. Requests that were sent on the old one may still be executed: they were not answered, so their claims are uncertain.
     */
    @Override
    public void onRequestTimeout() {
        replace();
    }

    /** Once a second at most: the next connection may not be to a master either. */
    @Override
    public void onNotMaster() {
        if (notMasterReplies.getAndIncrement() == 0) {
            closeDedicated(dedicated.get());
            reconnectToMaster();
        }
    }

    /** The server closes the connection; the next one is to the master at that time. */
    private void reconnectToMaster() {
        var unused = AsyncCalls.attempt(() -> connection.async().quit().toCompletableFuture());
        environment
                .scheduler()
                .schedule(
                        () -> {
                            if (notMasterReplies.getAndSet(0) > 1 && !closed.get()) {
                                onNotMaster();
                            }
                        },
                        TimeUnit.SECONDS.toNanos(1));
    }

    /** The timeout of the client, which limits handshakes. */
    public Duration clientTimeout() {
        return connection.getTimeout();
    }

    /** A dedicated thread, while it is needed: connecting blocks, and the application's threads may all be waiting for a lock. */
    private static ExecutorService connecting() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named("holdfast-redis-connect"),
                // Only after close(), when no claim waits.
                new ThreadPoolExecutor.DiscardPolicy());
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    @Override
    public void close() {
        closed.set(true);
        connecting.shutdown();
        subscription.close();
        LettuceConnections.closeAndWait(connection);
        CompletableFuture<StatefulRedisConnection<String, String>> own = dedicated.getAndSet(null);
        if (own != null) {
            var unused = own.thenAccept(LettuceConnections::closeAndWait);
        }
        onClose.run();
    }

    private StatefulRedisConnection<String, String> connect() {
        return uri == null ? client.connect() : client.connect(uri);
    }

    private void watch(StatefulRedisConnection<String, String> watched) {
        watched.addListener(new Loss(() -> lost(watched)));
        if (!watched.isOpen()) {
            lost(watched);
        }
    }

    /** Closed at once, or Lettuce would reconnect it. */
    private void lost(StatefulRedisConnection<String, String> former) {
        LettuceConnections.close(former);
        if (former.equals(connection)) {
            replace();
        }
    }

    /** Opens a new connection for requests; retries with backoff if that fails and the present one is lost. */
    private void replace() {
        if (closed.get() || !replacing.compareAndSet(false, true)) {
            return;
        }
        connecting.execute(() -> {
            try {
                if (!closed.get()) {
                    replaceBy(connect());
                    backoff.reset();
                }
            } catch (RuntimeException unreachable) {
                // If the present one is open, it is kept.
            } finally {
                replacing.set(false);
                if (!connection.isOpen() && !closed.get()) {
                    environment.scheduler().schedule(this::replace, backoff.next());
                }
            }
        });
    }

    private void replaceBy(StatefulRedisConnection<String, String> fresh) {
        renewSubscription();
        StatefulRedisConnection<String, String> before = connection;
        connection = fresh;
        // The others were replies on the former connection.
        notMasterReplies.updateAndGet(count -> Math.min(count, 1));
        LettuceConnections.close(before);
        closeDedicated(dedicated.get());
        watch(fresh);
        if (closed.get()) {
            LettuceConnections.close(fresh);
        }
    }

    /** Before the first request is sent on a new connection. */
    private void renewSubscription() {
        subscription.retire();
        // Runs after this, on the same thread, and then waiting claims poll. They also poll if it fails.
        var unused = subscription.replace().whenComplete((done, failure) -> {
            if (failure != null) {
                listener.onMissedMessages();
            }
        });
    }

    private void closeDedicated(@Nullable CompletableFuture<StatefulRedisConnection<String, String>> own) {
        if (own != null && dedicated.compareAndSet(own, null)) {
            var unused = own.thenAccept(LettuceConnections::close);
        }
    }

    private record Loss(Runnable action) implements RedisConnectionStateListener {
        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            action.run();
        }
    }
}
