package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The database is read-only for a while, like one that has become a replica. */
@ParameterizedClass
@EnumSource
class ReadOnlyIT {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int MAX_ATTEMPTS = 10_000;

    @TempDir
    private static Path folder;

    private static SqlServer server;

    private final Database database;

    ReadOnlyIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.startWithAdministrator(folder);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void readOnlyServerIsReportedAndUsedAgainWhenItIsWritable(Kind kind) {
        try (Holdfast holdfast = kind.open(server.url(), LEASE);
                Database.Admin admin = database.administrator(server)) {
            Lease before = holdfast.lock("read-only").acquire();
            admin.execute(database.readOnly());
            try {
                if (kind == Kind.LEASE_TABLE) {
                    Eventually.state(before, LeaseState.LOST);
                }
                before.release();
                // Not a single attempt: a session that could not release its lock has it until it has ended. And
                // PostgreSQL's
                // sessions read a setting some time after pg_reload_conf() has returned: until then the lock is
                // granted.
                Throwable thrown = null;
                for (int i = 0; thrown == null && i < MAX_ATTEMPTS; i++) {
                    thrown = catchThrowable(() -> holdfast.lock("read-only")
                            .acquire(Duration.ofSeconds(2))
                            .close());
                }
                assertThat(thrown).isInstanceOf(StoreUnavailableException.class);
                assertThat(LogLines.printed(thrown)).containsIgnoringCase("read");
            } finally {
                admin.execute(database.writable());
            }
            Lease next = holdfast.lock("read-only").acquire();
            assertThat(next.token()).isGreaterThan(before.token());
            assertThat(next.release()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void databaseThatCannotBeWrittenIsRefusedAtTheStart(Kind kind) {
        kind.open(server.url(), LEASE).close();
        try (Database.Admin admin = database.administrator(server)) {
            admin.execute(database.readOnly());
            try {
                List<Throwable> thrown = new ArrayList<>();
                Eventually.holds("it is refused", () -> {
                    Throwable refusal =
                            catchThrowable(() -> kind.open(server.url(), LEASE).close());
                    return refusal != null && thrown.add(refusal);
                });
                assertThat(thrown.get(0))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("The database is read-only")
                        .hasMessageContaining("Connect to the primary");
            } finally {
                admin.execute(database.writable());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void poolThatIsReadOnlyIsRefused(Kind kind) {
        kind.open(server.url(), LEASE).close();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setReadOnly(true);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcStoreBuilder store =
                    kind == Kind.LEASE_TABLE ? JdbcStore.leaseTable(pool) : JdbcStore.sessionLocks(pool);

            assertThatThrownBy(() -> Kind.open(store, LEASE).close())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The connections are read-only")
                    .hasMessageContaining("set readOnly to false");
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void standbyIsRefusedAtTheStart(Kind kind) throws IOException {
        assumeTrue(database == Database.POSTGRES, "only PostgreSQL has standbys");
        try (PostgresServer standby = PostgresServer.start()) {
            kind.open(standby.url(), LEASE).close();
            try (Sql sql = Sql.at(standby.url())) {
                Files.createFile(Path.of(sql.text("SHOW data_directory"), "standby.signal"));
            }
            standby.restart();

            Throwable thrown =
                    catchThrowable(() -> kind.open(standby.url(), LEASE).close());

            assertThat(thrown)
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("The database is read-only")
                    .hasMessageContaining("Connect to the primary");
        }
    }
}
