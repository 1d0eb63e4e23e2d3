package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.time.Duration;
import java.util.UUID;

class H2LeaseTableTckTest extends LockStoreTck {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @Override
    protected LockStore open(Environment environment) {
        return JdbcStore.leaseTable(url).createTables().open(environment);
    }

    /** A machine that is busy is slow now and then. */
    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
