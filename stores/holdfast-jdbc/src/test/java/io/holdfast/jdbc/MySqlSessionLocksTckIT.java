package io.holdfast.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.servers.MySqlServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Runs in the profile {@code mysql}. */
class MySqlSessionLocksTckIT extends LockStoreTck {

    private static @Nullable MySqlServer server;

    @BeforeAll
    static void start() {
        assumeTrue(
                MySqlServer.obstacle().isEmpty(), () -> MySqlServer.obstacle().orElseThrow());
        server = MySqlServer.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    @SuppressWarnings("NullAway") // no test runs without it
    protected LockStore open(Environment environment) {
        return JdbcStore.sessionLocks(server.url()).createTables().open(environment);
    }

    @Override
    @SuppressWarnings("NullAway") // no test runs without it
    protected Optional<StoreAddress> addressForOtherProcesses() {
        return Optional.of(new StoreAddress(SessionLocksProvider.class, server.url()));
    }

    /** A database on a busy disk is slow sometimes. */
    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
