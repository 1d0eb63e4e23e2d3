package io.holdfast.redis;

import io.holdfast.redis.internal.connection.RedisUrl;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens {@link RedisStore} for {@code redis://}, {@code redis-sentinel://}, {@code redis-cluster://} and their TLS variants. */
public final class RedisStoreProvider implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return RedisUrl.SCHEMES;
    }

    @Override
    public LockStore open(String url, Environment environment) {
        return RedisStore.at(url).open(environment);
    }
}
