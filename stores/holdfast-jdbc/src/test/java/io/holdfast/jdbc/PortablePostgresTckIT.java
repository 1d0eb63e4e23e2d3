package io.holdfast.jdbc;

import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A lease table by statements that every database has. */
@Tag("full")
class PortablePostgresTckIT extends LockStoreTck {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected LockStore open(Environment environment) {
        return PortableDialect.open(server.url(), environment);
    }

    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
