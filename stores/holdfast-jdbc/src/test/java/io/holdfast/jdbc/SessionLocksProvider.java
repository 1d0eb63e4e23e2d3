package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens session locks by a URL with its own scheme, for the other processes of the kit. */
final class SessionLocksProvider implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public LockStore open(String url, Environment environment) {
        return JdbcStore.sessionLocks(url).open(environment);
    }
}
