package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens {@code redis://} and its relatives. */
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
