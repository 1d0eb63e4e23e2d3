package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

class FileTckTest extends LockStoreTck {

    @TempDir
    private Path folder;

    @Override
    protected LockStore open(Environment environment) {
        return JdbcStore.file(folder.resolve("locks.db")).open(environment);
    }

    @Override
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.of(new StoreAddress(JdbcStoreProvider.class, "file:" + folder.resolve("locks.db")));
    }

    /** A busy machine is slow sometimes. */
    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
