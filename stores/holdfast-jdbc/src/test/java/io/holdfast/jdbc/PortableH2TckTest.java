package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.util.UUID;

/** A lease table by statements that every database has. */
class PortableH2TckTest extends LockStoreTck {

    private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @Override
    protected LockStore open(Environment environment) {
        return PortableDialect.open(URL, environment);
    }
}
