package io.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A lease table on the pool of an application, with its default settings. */
@Tag("full")
class PostgresDataSourceTckIT extends LockStoreTck {

    private static PostgresServer server;
    private static HikariDataSource pool;

    @BeforeAll
    static void start() {
        server = PostgresServer.start();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        // Each store keeps up to three, and several are open at a time.
        config.setMaximumPoolSize(30);
        pool = new HikariDataSource(config);
    }

    @AfterAll
    static void stop() {
        pool.close();
        server.close();
    }

    @Override
    protected LockStore open(Environment environment) {
        return JdbcStore.leaseTable(pool).createTables().open(environment);
    }

    @Override
    protected Duration shortLease() {
        return Duration.ofSeconds(1);
    }
}
