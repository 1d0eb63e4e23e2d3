package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

class FileTckTest extends LockStoreTck {

    @TempDir
    private Path folder;

    @Override
    protected LockStore open(Environment environment) {
        return JdbcStore.file(folder.resolve("locks.db")).open(environment);
    }

    /** A machine that is busy is slow now and then. */
    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
