package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Session locks on the connections of a DataSource. */
@ParameterizedClass
@EnumSource
class SessionDataSourceIT {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private static SqlServer server;

    private final Database database;

    SessionDataSourceIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @Test
    void dataSourceOfTheDriverHasASessionForEveryLock() throws SQLException {
        try (Database.Admin admin = database.admin(server)) {
            try (Holdfast one = open(ofDriver(), Duration.ofSeconds(5));
                    Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE)) {
                Lease held = one.lock("source").acquire();
                CompletableFuture<Lease> waiter = other.lock("source").acquireAsync();
                Eventually.holds("it waits", () -> admin.waiters().size() == 1);
                assertThat(held.release()).isTrue();
                Lease next = Eventually.comes(waiter);
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(one.lock("source").tryAcquire()).isEmpty();
                assertThat(next.release()).isTrue();
            }
            Eventually.holds("no connections are left", () -> admin.sessions().isEmpty());
        }
    }

    @Test
    void connectionPoolIsRefused() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setMaximumPoolSize(4);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> open(pool, Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("connection pool")
                    .hasMessageContaining("JdbcStore.sessionLocks(url)")
                    .hasMessageContaining("JdbcStore.leaseTable(dataSource)");
        }
    }

    private static Holdfast open(DataSource source, Duration timeout) {
        return Kind.open(JdbcStore.sessionLocks(source).timeout(timeout).createTables(), LEASE);
    }

    private DataSource ofDriver() throws SQLException {
        if (database == Database.MARIADB) {
            return new MariaDbDataSource(server.url());
        }
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(server.url());
        return source;
    }
}
