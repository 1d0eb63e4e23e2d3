package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.MySqlServer;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** MySQL's driver works with MariaDB, and MariaDB's driver with MySQL. */
class DriverFinderIT {

    @ParameterizedTest
    @EnumSource
    void driverOfMySqlOnMariaDb(Kind kind) {
        try (MariaDbServer server = MariaDbServer.start()) {
            works(kind, server.url().replace("jdbc:mariadb:", "jdbc:mysql:"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void driverOfMariaDbOnMySql(Kind kind) {
        MySqlServer.obstacle().ifPresent(reason -> assumeTrue(false, "skipped: " + reason));
        try (MySqlServer server = MySqlServer.start()) {
            works(kind, server.url().replace("jdbc:mysql:", "jdbc:mariadb:") + "&allowPublicKeyRetrieval=true");
        }
    }

    private static void works(Kind kind, String url) {
        try (Holdfast one = kind.open(url, Duration.ofSeconds(10));
                Holdfast other = kind.open(url, Duration.ofSeconds(10))) {
            Lease lease = one.lock("apples").acquire();
            assertThat(other.lock("apples").tryAcquire()).isEmpty();
            assertThat(lease.release()).isTrue();
            assertThat(other.lock("apples").tryAcquire()).hasValueSatisfying(next -> {
                assertThat(next.token()).isGreaterThan(lease.token());
                assertThat(next.release()).isTrue();
            });
        }
    }
}
