package io.holdfast.jdbc;

import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresSessionLocksTckIT extends LockStoreTck {

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
        return JdbcStore.sessionLocks(server.url()).createTables().open(environment);
    }

    @Override
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.of(new StoreAddress(SessionLocksProvider.class, server.url()));
    }

    /** A database on a busy disk is slow sometimes. */
    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
