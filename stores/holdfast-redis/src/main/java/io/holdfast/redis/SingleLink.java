package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One server, or the master that Sentinel names: one connection for requests, and one for messages. */
final class SingleLink implements Link {

    private final RedisClient client;
    private final @Nullable RedisURI uri;
    private final Environment environment;
    private final Duration timeout;
    private final Deafness deafness;
    private final Listener listener;
    private final Runnable onClose;
    private final String channel;
    private final AtomicReference<@Nullable CompletableFuture<StatefulRedisConnection<String, String>>> dedicated =
            new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> replacing = new AtomicReference<>();
    private final AtomicBoolean checking = new AtomicBoolean();
    private final AtomicBoolean renewing = new AtomicBoolean();
    /** Since the connection was left; none if that is long ago. */
    private final AtomicInteger refusals = new AtomicInteger();

    private final ExecutorService connecting = connecting();
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile StatefulRedisConnection<String, String> connection;
    private volatile StatefulRedisPubSubConnection<String, String> hearing;

    /** Connects; {@code uri} is null for a client that knows its own. */
    SingleLink(
            RedisClient client,
            @Nullable RedisURI uri,
            Environment environment,
            Settings settings,
            String id,
            Listener listener,
            Runnable onClose) {
        this.client = client;
        this.uri = uri;
        this.environment = environment;
        this.timeout = settings.timeout();
        this.deafness = new Deafness(environment, timeout);
        this.listener = listener;
        this.onClose = onClose;
        this.channel = settings.keyPrefix() + ":wake:" + id;
        this.connection = connect();
        try {
            connection.addListener(new Reconnected());
            hearing = openHearing();
        } catch (RuntimeException deaf) {
            connection.close();
            throw deaf;
        }
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
                    fresh.complete(connect());
                } catch (RuntimeException | Error failed) {
                    dedicated.set(null);
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
        return "p:" + channel;
    }

    /** A new connection takes the place of the present one, which may be half open: the server does not know of it. */
    @Override
    public CompletableFuture<Void> listen(String key) {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> underWay = replacing.compareAndExchange(null, fresh);
        if (underWay != null) {
            return underWay;
        }
        connecting.execute(() -> {
            try {
                StatefulRedisPubSubConnection<String, String> before = hearing;
                hearing = openHearing();
                var unused = before.closeAsync();
                if (closed.get()) {
                    var unusedToo = hearing.closeAsync();
                }
                replacing.set(null);
                fresh.complete(null);
            } catch (RuntimeException | Error deaf) {
                // Whatever it is: those who wait for it must not wait for ever.
                replacing.set(null);
                fresh.completeExceptionally(deaf);
            }
        });
        return fresh;
    }

    @Override
    public int group(String key) {
        return 0;
    }

    @Override
    public CompletableFuture<List<String>> scan(String pattern) {
        return Scans.keys(connection.async(), pattern);
    }

    @Override
    public void checkHearing() {
        if (!checking.compareAndSet(false, true)) {
            return;
        }
        StatefulRedisPubSubConnection<String, String> ear = hearing;
        var unused = deafness.of(
                        Calls.attempt(() -> ear.async().ping().toCompletableFuture()),
                        Calls.attempt(() -> connection.async().ping().toCompletableFuture()))
                .thenCompose(deaf -> deaf && !closed.get() && ear.equals(hearing)
                        ? listen("")
                        : CompletableFuture.completedFuture(null))
                .whenComplete((done, stillDeaf) -> {
                    checking.set(false);
                    if (stillDeaf != null) {
                        listener.deaf(stillDeaf);
                    }
                });
    }

    /**
     * Answers come in order, so nothing was answered since that request; and while there is something to send, the system would
     * try for a quarter of an hour before it gives the connection up. If a new one is answered, it takes the place of this one.
     * What was sent by the old one may still be executed: those requests were not answered, so their claims are in doubt.
     */
    @Override
    public void silent() {
        if (closed.get() || !renewing.compareAndSet(false, true)) {
            return;
        }
        connecting.execute(() -> {
            try {
                StatefulRedisConnection<String, String> fresh = connect();
                fresh.addListener(new Reconnected());
                StatefulRedisConnection<String, String> before = connection;
                connection = fresh;
                var unused = before.closeAsync();
                closeDedicated();
                if (closed.get()) {
                    var unusedToo = fresh.closeAsync();
                }
                listener.resumed();
            } catch (RuntimeException unreachable) {
                // Then the present one is no worse.
            } finally {
                renewing.set(false);
            }
        });
    }

    /** Once a second at most: where the next connection leads may be no master either. */
    @Override
    public void demoted() {
        closeDedicated();
        if (refusals.getAndIncrement() == 0) {
            leave();
        }
    }

    /** The server closes the connection; the next one goes to the master of that moment. */
    private void leave() {
        var unused = connection.async().quit();
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

    /** A thread of its own, while it is needed: connecting blocks, and those of the application may all be waiting for a lock. */
    private static ExecutorService connecting() {
        ThreadPoolExecutor one = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "holdfast-redis-connect");
                    thread.setDaemon(true);
                    return thread;
                },
                // Only after close(), when nobody waits any more.
                new ThreadPoolExecutor.DiscardPolicy());
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    @Override
    public void close() {
        closed.set(true);
        connecting.shutdown();
        hearing.close();
        connection.close();
        closeDedicated();
        onClose.run();
    }

    private StatefulRedisConnection<String, String> connect() {
        return uri == null ? client.connect() : client.connect(uri);
    }

    private void closeDedicated() {
        CompletableFuture<StatefulRedisConnection<String, String>> own = dedicated.getAndSet(null);
        if (own != null) {
            var unused = own.thenCompose(StatefulRedisConnection::closeAsync);
        }
    }

    private StatefulRedisPubSubConnection<String, String> openHearing() {
        StatefulRedisPubSubConnection<String, String> fresh =
                uri == null ? client.connectPubSub() : client.connectPubSub(uri);
        try {
            fresh.setTimeout(timeout);
            fresh.addListener(new Ear());
            fresh.sync().subscribe(channel);
            return fresh;
        } catch (RuntimeException failed) {
            fresh.close();
            throw new IllegalStateException(
                    "Cannot listen to the channel " + channel + " (" + failed.getMessage()
                            + "). Waiters are woken there. If it is for the ACL, allow the channels with &"
                            + channel.substring(0, channel.lastIndexOf(":wake:")) + ":*",
                    failed);
        }
    }

    private final class Reconnected implements RedisConnectionStateListener {
        @Override
        public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
            // The others were of the connection that was left.
            refusals.updateAndGet(count -> Math.min(count, 1));
            listener.resumed();
        }
    }

    private final class Ear extends RedisPubSubAdapter<String, String> {
        @Override
        public void message(String from, String message) {
            listener.heard(message);
        }

        @Override
        public void subscribed(String to, long count) {
            listener.resumed();
        }
    }
}
