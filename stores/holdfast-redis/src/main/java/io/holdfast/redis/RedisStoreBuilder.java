package io.holdfast.redis;

import io.holdfast.StoreUnavailableException;
import io.holdfast.redis.internal.connection.ClusterConnections;
import io.holdfast.redis.internal.connection.LettuceVersion;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.connection.RedisUrl;
import io.holdfast.redis.internal.connection.SetupWarnings;
import io.holdfast.redis.internal.connection.SingleServerConnections;
import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.redis.internal.connection.WakeupChannels;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;

/** Builds a {@link RedisStore}. Not thread-safe. */
public final class RedisStoreBuilder implements StoreFactory {

    private final String name;
    private final Opener opener;
    private StoreSettings settings;

    private RedisStoreBuilder(String name, StoreSettings settings, Opener opener) {
        this.name = name;
        this.settings = settings;
        this.opener = opener;
    }

    @FunctionalInterface
    private interface Opener {
        RedisConnections open(
                Environment environment,
                StoreSettings settings,
                WakeupChannels channels,
                RedisConnections.Listener listener);
    }

    static RedisStoreBuilder on(RedisClient client) {
        String name = "redis (a client of the application)";
        return new RedisStoreBuilder(name, StoreSettings.DEFAULTS, (environment, settings, channels, listener) -> {
            SingleServerConnections connections =
                    new SingleServerConnections(client, null, environment, settings, channels, listener, () -> {});
            SetupWarnings.checkTimeout(name, connections.clientTimeout());
            return connections;
        });
    }

    static RedisStoreBuilder on(RedisClusterClient client) {
        String name = "redis-cluster (a client of the application)";
        return new RedisStoreBuilder(name, StoreSettings.DEFAULTS, (environment, settings, channels, listener) -> {
            ClusterConnections connections =
                    new ClusterConnections(client, environment, settings, channels, listener, () -> {});
            SetupWarnings.checkClusterClient(name, client);
            SetupWarnings.checkTimeout(name, connections.clientTimeout());
            return connections;
        });
    }

    static RedisStoreBuilder at(String text) {
        RedisUrl url = RedisUrl.parse(text);
        return new RedisStoreBuilder(url.name(), url.settings(), url::open);
    }

    /** The prefix of all keys and channels; default {@code holdfast}. All processes that share locks need the same prefix. */
    public RedisStoreBuilder keyPrefix(String prefix) {
        settings = settings.withKeyPrefix(prefix);
        return this;
    }

    /**
     * How long the key of a lock is kept after its last use, 10 minutes to 30 days; default one hour. The key has the last
     * token, so that tokens increase even if the server's clock is set back.
     */
    public RedisStoreBuilder retention(Duration time) {
        settings = settings.withRetention(time);
        return this;
    }

    /** The timeout of a request, 50 ms to 30 s; default 2 s. */
    public RedisStoreBuilder timeout(Duration time) {
        settings = settings.withTimeout(time);
        return this;
    }

    /**
     * How many replicas must confirm a grant or a renewal before it counts ({@code WAIT}), 0 to 20, and how long they may take;
     * default 0. Each costs a round trip to the replicas. A failover is then less likely to lose a lock, but it still can.
     */
    public RedisStoreBuilder replicas(int count, Duration within) {
        settings = settings.withReplicas(count, within);
        return this;
    }

    /**
     * Connects. The caller closes the store.
     *
     * @throws StoreUnavailableException if the server cannot be reached
     * @throws IllegalArgumentException if the server refuses the connection, such as for a wrong password
     * @throws IllegalStateException if the version of Lettuce is not supported
     */
    @Override
    public LockStore open(Environment environment) {
        LettuceVersion.check();
        WakeupChannels channels = new WakeupChannels(settings.keyPrefix());
        try {
            RedisStore store = new RedisStore(
                    name, environment, settings, listener -> opener.open(environment, settings, channels, listener));
            store.checkServer();
            return store;
        } catch (RedisException failed) {
            throw RedisUrl.openFailure(name, failed);
        }
    }
}
