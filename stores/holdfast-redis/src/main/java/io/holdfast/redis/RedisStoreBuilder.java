package io.holdfast.redis;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;

/** Collects the settings of a {@link RedisStore}. Not thread-safe. */
public final class RedisStoreBuilder implements StoreFactory {

    private final String name;
    private final Opener opener;
    private Settings settings;

    private RedisStoreBuilder(String name, Settings settings, Opener opener) {
        this.name = name;
        this.settings = settings;
        this.opener = opener;
    }

    @FunctionalInterface
    private interface Opener {
        Link open(Environment environment, Settings settings, WakeChannels channels, Link.Listener listener);
    }

    static RedisStoreBuilder on(RedisClient client) {
        String name = "redis (a client of the application)";
        return new RedisStoreBuilder(name, Settings.DEFAULTS, (environment, settings, channels, listener) -> {
            SingleLink link = new SingleLink(client, null, environment, settings, channels, listener, () -> {});
            Warnings.ofTimeout(name, link.clientTimeout());
            return link;
        });
    }

    static RedisStoreBuilder on(RedisClusterClient client) {
        String name = "redis-cluster (a client of the application)";
        return new RedisStoreBuilder(name, Settings.DEFAULTS, (environment, settings, channels, listener) -> {
            ClusterLink link = new ClusterLink(client, environment, settings, channels, listener, () -> {});
            Warnings.ofClusterClient(name, client);
            Warnings.ofTimeout(name, link.clientTimeout());
            return link;
        });
    }

    static RedisStoreBuilder at(String text) {
        RedisUrl url = RedisUrl.parse(text);
        return new RedisStoreBuilder(url.name(), url.settings(), url::open);
    }

    /** What all keys and channels begin with; default {@code holdfast}. The same for all who share locks. */
    public RedisStoreBuilder keyPrefix(String prefix) {
        settings = settings.withKeyPrefix(prefix);
        return this;
    }

    /**
     * How long the key of a name stays after its last use, 10 minutes to 30 days; default one hour. It remembers the last
     * token for the case that the server's clock is set back.
     */
    public RedisStoreBuilder retention(Duration time) {
        settings = settings.withRetention(time);
        return this;
    }

    /** How long to wait for an answer of the server, 50 ms to 30 s; default 2 s. */
    public RedisStoreBuilder timeout(Duration time) {
        settings = settings.withTimeout(time);
        return this;
    }

    /**
     * How many replicas must have a grant or a renewal before it counts, 0 to 20, and how long they may take; default 0. Costs
     * a round trip to the replicas each time, and makes a failover less likely to lose a lock; not impossible.
     */
    public RedisStoreBuilder replicas(int count, Duration within) {
        settings = settings.withReplicas(count, within);
        return this;
    }

    /**
     * Connects. The caller closes the store.
     *
     * @throws StoreUnavailableException if the server cannot be reached, or refuses
     */
    @Override
    public LockStore open(Environment environment) {
        WakeChannels channels = new WakeChannels(settings.keyPrefix());
        try {
            RedisStore store = new RedisStore(
                    name, environment, settings, listener -> opener.open(environment, settings, channels, listener));
            store.lookAtServer();
            return store;
        } catch (RedisException failed) {
            throw RedisUrl.unreachable(name, failed);
        }
    }
}
