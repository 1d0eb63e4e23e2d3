package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Set;

/** Opens {@code jdbc:} URLs as tables of leases, and {@code file:} URLs as such a table in a file. */
public final class JdbcStoreProvider implements StoreProvider {

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc", FileUrl.SCHEME);
    }

    @Override
    public LockStore open(String url, Environment environment) {
        return FileUrl.matches(url)
                ? JdbcStore.file(FileUrl.path(url)).open(environment)
                : JdbcStore.leaseTable(url).open(environment);
    }
}
