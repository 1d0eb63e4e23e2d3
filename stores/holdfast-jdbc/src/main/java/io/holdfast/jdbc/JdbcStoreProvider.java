package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens {@code jdbc:} URLs as tables of leases. */
public final class JdbcStoreProvider implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc");
    }

    @Override
    public LockStore open(String url, Environment environment) {
        return JdbcStore.leaseTable(url).open(environment);
    }
}
