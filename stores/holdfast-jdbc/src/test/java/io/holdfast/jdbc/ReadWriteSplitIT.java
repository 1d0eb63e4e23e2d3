package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A proxy routes reads to a replica that lags behind. Their results must not decide anything. */
class ReadWriteSplitIT {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int NAMES = 20;

    /** The statements for MySQL are executed by MariaDB, which understands them. */
    @ParameterizedTest
    @CsvSource({"POSTGRES,", "MARIADB,", "MARIADB, MySQL"})
    void freeNamesAreAcquiredAndAllAreReleased(Database database, String product) {
        try (SqlServer primary = database.start();
                SqlServer replica = database.start()) {
            Kind.LEASE_TABLE.open(replica.url(), LEASE).close();
            Kind.LEASE_TABLE.open(primary.url(), LEASE).close();
            try (Holdfast holdfast = open(primary, replica, product);
                    Sql sql = Sql.at(primary.url())) {
                for (int round = 0; round < 2; round++) {
                    for (int i = 0; i < NAMES; i++) {
                        assertThat(holdfast.lock("name" + i).tryAcquire()).hasValueSatisfying(Lease::close);
                    }
                }
                assertThat(sql.number("SELECT count(*) FROM holdfast_lease")).isEqualTo(NAMES);
                assertThat(sql.number("SELECT count(*) FROM holdfast_lease WHERE claim IS NOT NULL"))
                        .isZero();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRES,", "MARIADB,", "MARIADB, MySQL"})
    void holderIsNotifiedOfALossThatTheReplicaDoesNotKnow(Database database, String product) {
        try (SqlServer primary = database.start();
                SqlServer replica = database.start()) {
            Kind.LEASE_TABLE.open(replica.url(), LEASE).close();
            Kind.LEASE_TABLE.open(primary.url(), LEASE).close();
            try (Holdfast holdfast = open(primary, replica, product);
                    Holdfast other = Kind.LEASE_TABLE.open(primary.url(), LEASE);
                    Sql there = Sql.at(primary.url());
                    Sql stale = Sql.at(replica.url())) {
                Lease lease = holdfast.lock("x").acquire();
                stale.update(
                        "INSERT INTO holdfast_lease (name, capacity, claim, first_token, last_token, granted_at, ends_at)"
                                + " VALUES (" + (database == Database.POSTGRES ? "'x'" : "X'78'")
                                + ", 1, ?, ?, ?, ?, ?)",
                        there.text("SELECT claim FROM holdfast_lease"),
                        lease.token(),
                        lease.token() + 100,
                        lease.token(),
                        lease.token() + Duration.ofHours(1).toNanos() / 1_000);

                assertThat(other.lock("x").forceRelease(lease.token())).isTrue();
                Lease next = other.lock("x").acquire();

                assertThat(next.token()).isGreaterThan(lease.token());
                Eventually.state(lease, LeaseState.LOST);
                assertThat(next.release()).isTrue();
            }
        }
    }

    private static Holdfast open(SqlServer primary, SqlServer replica, String product) {
        return Kind.open(JdbcStore.leaseTable(new SplittingDataSource(primary.url(), replica.url(), product)), LEASE);
    }
}
