package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How opening a store fails: with StoreUnavailableException if the database may be available later, so that it is worth retrying; with
 * another exception if the configuration is wrong.
 */
@ParameterizedClass
@EnumSource
class OpeningIT {

    private static final String SECRET = "t0p-s3cret";
    private static final String WRONG = "wr0ng-gue55";
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int CLOSED_PORT = 1;

    @TempDir
    private static Path folder;

    private static SqlServer server;

    private final Database database;

    OpeningIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.startWithAdministrator(folder);
        try (Database.Admin admin = database.administrator(server)) {
            admin.execute(database.secretive(SECRET));
        }
        Eventually.holds("a wrong password is rejected", () -> {
            try (Connection accepted = DriverManager.getConnection(Database.url(server, "secretive", WRONG))) {
                return accepted == null;
            } catch (SQLException rejected) {
                return true;
            }
        });
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void closedPortIsUnavailable(Kind kind) {
        String url = Database.url(server, "secretive", SECRET).replace(":" + server.port() + "/", ":1/");

        unavailable(catchThrowable(() -> kind.open(url, LEASE)), "127.0.0.1:1/holdfast");
    }

    @ParameterizedTest
    @EnumSource
    void unknownHostIsUnavailable(Kind kind) {
        String url = Database.url(server, "secretive", SECRET).replace("127.0.0.1", "nowhere.invalid");

        unavailable(catchThrowable(() -> kind.open(url, LEASE)), "nowhere.invalid");
    }

    /** A server that starts, recovers or shuts down is unavailable, too. */
    @ParameterizedTest
    @EnumSource
    void serverThatIsRestartedIsUnavailableAndThenOpened(Kind kind) {
        CompletableFuture<Void> restart = CompletableFuture.runAsync(server::restart);
        Throwable thrown;
        do {
            thrown = catchThrowable(() -> kind.open(server.url(), LEASE).close());
            assertThat(thrown)
                    .satisfiesAnyOf(
                            none -> assertThat(none).isNull(),
                            failure -> assertThat(failure).isInstanceOf(StoreUnavailableException.class));
        } while (!restart.isDone());
        restart.join();

        kind.open(server.url(), LEASE).close();
    }

    @ParameterizedTest
    @EnumSource
    void serverWithTooManyConnectionsIsUnavailable(Kind kind) throws SQLException {
        try (SqlServer small = database.start("max_connections=10")) {
            Deque<Connection> opened = new ArrayDeque<>();
            Throwable refused = null;
            while (refused == null) {
                refused = catchThrowable(() -> opened.add(DriverManager.getConnection(small.url())));
            }

            unavailable(catchThrowable(() -> kind.open(small.url(), LEASE)), "127.0.0.1:" + small.port());
            for (Connection each : opened) {
                each.close();
            }
        }
    }

    @Test
    void poolWhoseServerIsUnreachableIsUnavailable() {
        try (HikariDataSource pool = pool(CLOSED_PORT, SECRET)) {
            unavailable(
                    catchThrowable(() -> Kind.open(JdbcStore.leaseTable(pool), LEASE)), "the application's DataSource");
        }
    }

    @Test
    void poolWithAWrongPasswordIsAConfigurationError() {
        try (HikariDataSource pool = pool(server.port(), WRONG)) {
            refused(catchThrowable(() -> Kind.open(JdbcStore.leaseTable(pool), LEASE)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongPasswordIsAConfigurationError(Kind kind) {
        refused(catchThrowable(() -> kind.open(Database.url(server, "secretive", WRONG), LEASE)));
    }

    @ParameterizedTest
    @EnumSource
    void unknownDatabaseIsAConfigurationError(Kind kind) {
        String url = Database.url(server, "secretive", SECRET).replace("/holdfast?", "/nowhere?");

        refused(catchThrowable(() -> kind.open(url, LEASE)));
    }

    @ParameterizedTest
    @EnumSource
    void missingPrivilegeIsAConfigurationError(Kind kind) {
        String table = "readable_" + kind;
        Kind.open(kind.at(server.url()).table(table), LEASE).close();
        try (Database.Admin admin = database.administrator(server)) {
            admin.execute(database.reader(table, SECRET));
        }
        String url = Database.url(server, "reader", SECRET);

        refused(catchThrowable(() -> Kind.open(kind.bare(url).table(table), LEASE)));
        assertThat(catchThrowable(() -> Kind.open(kind.bare(url).table("missing_" + kind), LEASE)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("createTables()");
    }

    private static void unavailable(Throwable thrown, String store) {
        assertThat(thrown)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("The database is unavailable")
                .hasMessageContaining(store);
        assertThat(LogLines.printed(thrown)).doesNotContain(SECRET, WRONG);
    }

    private static void refused(Throwable thrown) {
        assertThat(thrown)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not allow its use for locks");
        assertThat(LogLines.printed(thrown)).doesNotContain(SECRET, WRONG);
    }

    private static HikariDataSource pool(int port, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(
                Database.url(server, "secretive", password).replace(":" + server.port() + "/", ":" + port + "/"));
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(1_000);
        return new HikariDataSource(config);
    }
}
