package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import io.holdfast.tck.StoreAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class H2LeaseTableTckTest extends LockStoreTck {

    /** Lets other processes into the databases in the memory of this one. */
    private static Server server;

    private final String database = "mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @BeforeAll
    static void start() throws SQLException {
        server = Server.createTcpServer("-tcpPort", "0").start();
    }

    @AfterAll
    static void stop() {
        server.stop();
    }

    @Override
    protected LockStore open(Environment environment) {
        return JdbcStore.leaseTable("jdbc:h2:" + database).createTables().open(environment);
    }

    @Override
    protected Optional<StoreAddress> addressForOtherProcesses() {
        String url = "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/" + database;
        return Optional.of(new StoreAddress(JdbcStoreProvider.class, url));
    }

    /** A busy machine is slow sometimes. */
    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
