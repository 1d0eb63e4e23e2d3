package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.jdbc.JdbcStore;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlLeftoversIT {

    @Test
    void holdersAndConnectionsInPostgresAreFoundWhileTheyAreThere() {
        try (PostgresServer server = PostgresServer.start()) {
            isFound(Store.POSTGRESQL, Database.POSTGRESQL, server.url(), "In use: apples ");
            isFound(Store.POSTGRESQL_SESSIONS, Database.POSTGRESQL, server.url(), "Left session lock: ");
        }
    }

    @Test
    void holdersAndConnectionsInMariaDbAreFoundWhileTheyAreThere() {
        try (MariaDbServer server = MariaDbServer.start()) {
            isFound(Store.MARIADB, Database.MARIADB, server.url(), "In use: apples ");
            isFound(Store.MARIADB_SESSIONS, Database.MARIADB, server.url(), "Left session lock: apples ");
        }
    }

    private static void isFound(Store store, Database database, String url, String holder) {
        try (Holdfast holdfast = Holdfast.builder(
                                store == Store.POSTGRESQL || store == Store.MARIADB
                                        ? JdbcStore.leaseTable(url).createTables()
                                        : JdbcStore.sessionLocks(url).createTables())
                        .build();
                Lease lease = holdfast.lock("apples").acquire()) {
            assertThat(SqlLeftovers.in(store, database, url, Duration.ZERO))
                    .anyMatch(each -> each.startsWith(holder))
                    .anyMatch(each -> each.startsWith("Left connection: "));
            assertThat(Leftovers.threads(Duration.ZERO))
                    .anyMatch(each -> each.startsWith("Left thread: holdfast-jdbc"));
            lease.ensureHeld();
        }
        assertThat(SqlLeftovers.in(store, database, url, Leftovers.PATIENCE)).isEmpty();
        assertThat(Leftovers.threads(Leftovers.PATIENCE)).isEmpty();
    }

    @Test
    void rowWithoutAnEndIsFound(@TempDir Path folder) throws SQLException {
        Path file = folder.resolve("locks");
        Store.FILE.locker(file.toString(), "test").close();
        String url = "jdbc:sqlite:" + file;
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at)"
                            + " VALUES ('apples', 1, 0, 0, 9223372036854775807, 0)");
        }
        assertThat(SqlLeftovers.in(Store.FILE, Database.SQLITE, url, Duration.ZERO))
                .singleElement()
                .asString()
                .startsWith("Without an end: apples");
    }
}
