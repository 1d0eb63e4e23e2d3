package io.holdfast.redis;

import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.Environment;
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

/** One server, or the master that Sentinel names: one connection for requests, and one for pub/sub messages. */
final class SingleLink implements Link {

    /*
     * A connection that was lost is closed and replaced by a new one, also if Lettuce would reconnect it (`autoReconnect` of a
     * client of the application). The reason is the order. Lettuce writes to a connection that it has re-established before it
     * notifies its listeners. Here the wake channel is retired first, and only then can requests use the new connection. So a
     * process that was restored from a snapshot, which has lost its connections, sends no claim with the wake channel that it
     * shares with its clones.
     */

    private final RedisClient client;
    private final @Nullable RedisURI uri;
    private final Environment environment;
    private final Listener listener;
    private final Runnable onClose;
    private final WakeupSubscription subscription;
    private final Backoff backoff;
    private final AtomicReference<@Nullable CompletableFuture<StatefulRedisConnection<String, String>>> dedicated =
            new AtomicReference<>();
    private final AtomicBoolean replacing = new AtomicBoolean();
    /** Since the connection was left; none if that is long ago. */
    private final AtomicInteger refusals = new AtomicInteger();

    private final ExecutorService connecting = connecting();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile StatefulRedisConnection<String, String> connection;

    /** Connects; {@code uri} is null for a client that knows its own. */
    SingleLink(
            RedisClient client,
            @Nullable RedisURI uri,
            Environment environment,
            Settings settings,
            WakeChannels channels,
            Listener listener,
            Runnable onClose) {
        this.client = client;
        this.uri = uri;
        this.environment = environment;
        this.listener = listener;
        this.onClose = onClose;
        this.backoff = new Backoff(environment);
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
                    StatefulRedisConnection<String, String> own = connect();
                    own.addListener(new Loss(() -> closeDedicated(fresh)));
                    announce();
                    fresh.complete(own);
                    if (!own.isOpen()) {
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
    public String channel(String key) {
        return "p:" + subscription.channel();
    }

    /** By a new connection. The present one may be half-open: then the server does not know of it. */
    @Override
    public CompletableFuture<Void> listen(String key) {
        return subscription.replace();
    }

    @Override
    public int group(String key) {
        return 0;
    }

    @Override
    public void checkHearing() {
        subscription.check(() -> connection.async().ping().toCompletableFuture());
    }

    /**
     * Answers come in order, so nothing was answered since that request; and while there is something to send, the system would
     * try for a quarter of an hour before it gives the connection up. If a new one is answered, it takes the place of this one.
     * What was sent by the old one may still be executed: those requests were not answered, so their claims are in doubt.
     */
    @Override
    public void silent() {
        replace();
    }

    /** Once a second at most: where the next connection leads may be no master either. */
    @Override
    public void demoted() {
        if (refusals.getAndIncrement() == 0) {
            closeDedicated(dedicated.get());
            leave();
        }
    }

    /** The server closes the connection; the next one goes to the master of that moment. */
    private void leave() {
        var unused = Calls.attempt(() -> connection.async().quit().toCompletableFuture());
        environment
                .scheduler()
                .schedule(
                        () -> {
                            if (refusals.getAndSet(0) > 1 && !closed.get()) {
                                demoted();
                            }
                        },
                        TimeUnit.SECONDS.toNanos(1));
    }

    /** Of the client: it bounds handshakes. */
    Duration clientTimeout() {
        return connection.getTimeout();
    }

    /** A thread of its own, while it is needed: connecting blocks, and those of the application may all be waiting for a lock. */
    private static ExecutorService connecting() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named("holdfast-redis-connect"),
                // Only after close(), when nobody waits any more.
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

    /** Closed here and now, or Lettuce would connect it again. */
    private void lost(StatefulRedisConnection<String, String> former) {
        LettuceConnections.close(former);
        if (former.equals(connection)) {
            replace();
        }
    }

    /** Opens a new connection for requests; again after a while if that fails and the present one is lost. */
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
                // If the present one is open, it is no worse.
            } finally {
                replacing.set(false);
                if (!connection.isOpen() && !closed.get()) {
                    environment.scheduler().schedule(this::replace, backoff.next());
                }
            }
        });
    }

    private void replaceBy(StatefulRedisConnection<String, String> fresh) {
        announce();
        StatefulRedisConnection<String, String> before = connection;
        connection = fresh;
        // The others were of the connection that was left.
        refusals.updateAndGet(count -> Math.min(count, 1));
        LettuceConnections.close(before);
        closeDedicated(dedicated.get());
        watch(fresh);
        if (closed.get()) {
            LettuceConnections.close(fresh);
        }
    }

    /** A connection for requests is new, and nothing was sent by it yet. */
    private void announce() {
        subscription.retire();
        // Runs after this, on the same thread, and then waiting claims are sent again. They are if it fails, too.
        var unused = subscription.replace().whenComplete((done, failure) -> {
            if (failure != null) {
                listener.resumed();
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
