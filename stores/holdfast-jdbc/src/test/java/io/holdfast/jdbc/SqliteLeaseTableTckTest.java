package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteLeaseTableTckTest extends LockStoreTck {

    @TempDir
    private Path folder;

    @Override
    protected LockStore open(Environment environment) {
        return JdbcStore.leaseTable("jdbc:sqlite:" + folder.resolve("locks.db"))
                .createTables()
                .open(environment);
    }
}
