package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The application starts although its database is down; acquisitions fail until it is back, and then succeed without a restart. */
@ParameterizedClass
@EnumSource
class StoreDownAtStartIT {

    private static SqlServer server;

    StoreDownAtStartIT(Database database) {
        assertThat(database).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void applicationStartsAndRecovers(Kind kind) {
        server.kill();
        try (Holdfast holdfast = Holdfast.builder(kind.at(server.url())).build()) {
            recovers(holdfast);
        }
    }

    @Test
    void applicationWithAPoolStartsAndRecovers() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setConnectionTimeout(1_000);
        config.setInitializationFailTimeout(-1);
        server.kill();
        try (HikariDataSource pool = new HikariDataSource(config);
                Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(pool)).build()) {
            recovers(holdfast);
        }
    }

    private static void recovers(Holdfast holdfast) {
        DistributedLock lock = holdfast.lock("door");
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> lock.acquire(Duration.ofMillis(300))).isInstanceOf(StoreUnavailableException.class);
        CompletableFuture<Lease> patient = lock.acquireAsync(Eventually.LIMIT);

        server.restart();

        Lease lease = Eventually.comes(patient);
        assertThat(lock.isLocked()).isTrue();
        assertThat(lease.release()).isTrue();
    }
}
