package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.monitoring.LockInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Two names are equal for the database, or it cannot store a name. */
class A18ExactNamesIT {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final List<String> NAMES = List.of(
            "case",
            "CASE",
            "tail",
            "tail ",
            " tail",
            "cafe",
            "café",
            "cafe\u0301",
            "치킨",
            "🍎",
            "🍏",
            "hotel:4",
            "hotel:42",
            "%",
            "_",
            "it's \"quoted\" \\ {}",
            "x".repeat(512),
            "x".repeat(511) + "y");

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @CsvSource({"case, CASE", "'tail', 'tail '", "cafe, café"})
    void naiveTableTreatsTwoNamesAsEqual(String name, String other) {
        try (Sql sql = servers.sql(StoreKind.MARIADB_TABLE)) {
            NaiveTableLock naive = new NaiveTableLock(sql);
            assertThat(naive.tryAcquire(name, LEASE)).isTrue();
            assertThat(naive.tryAcquire(other, LEASE)).as("this one is free").isFalse();
            naive.release(other);
            assertThat(naive.tryAcquire(name, LEASE))
                    .as("and its release frees the first")
                    .isTrue();
        }
    }

    @Test
    void naiveTableCannotStoreANameOrTreatsAllEmojisAsEqual() {
        try (Sql sql = servers.sql(StoreKind.MARIADB_TABLE)) {
            NaiveTableLock naive = new NaiveTableLock(sql);
            assertThatThrownBy(() -> naive.tryAcquire("치킨", LEASE))
                    .as("not without another character set")
                    .hasRootCauseInstanceOf(SQLException.class);
            sql.update("ALTER TABLE locks CONVERT TO CHARACTER SET utf8mb4");
            assertThat(naive.tryAcquire("치킨", LEASE)).isTrue();
            assertThat(naive.tryAcquire("🍎", LEASE)).isTrue();
            assertThat(naive.tryAcquire("🍏", LEASE)).as("this one is free").isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void ourNamesAreExactAndReturnedUnchanged(StoreKind kind) {
        try (Holdfast one = servers.connect(kind);
                Holdfast other = servers.connect(kind)) {
            List<Lease> leases = new ArrayList<>();
            for (String name : NAMES) {
                leases.add(one.lock(name).tryAcquire().orElseThrow());
            }

            assertThat(leases).extracting(Lease::name).containsExactlyElementsOf(NAMES);
            assertThat(other.inspect("", 100)).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(NAMES);
            assertThat(other.inspect("hotel:4", 100))
                    .extracting(LockInfo::name)
                    .containsExactlyInAnyOrder("hotel:4", "hotel:42");
            assertThat(other.inspect("%", 100)).extracting(LockInfo::name).containsExactly("%");
            for (Lease lease : leases) {
                assertThat(other.lock(lease.name()).tryAcquire()).isEmpty();
                assertThat(lease.release()).isTrue();
                Lease next = other.lock(lease.name()).tryAcquire().orElseThrow();
                assertThat(other.lock(lease.name()).inspect().holders()).hasSize(1);
                assertThat(next.release()).isTrue();
            }
        }
    }

    @Test
    void namesAreExactThoughTheDatabaseIgnoresCase() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;IGNORECASE=TRUE";
        try (Sql sql = Sql.at(url);
                Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(url).createTables())
                        .build()) {
            NaiveTableLock naive = new NaiveTableLock(sql);
            assertThat(naive.tryAcquire("case", LEASE)).isTrue();
            assertThat(naive.tryAcquire("CASE", LEASE)).as("this one is free").isFalse();

            try (Lease lower = holdfast.lock("case").tryAcquire().orElseThrow();
                    Lease upper = holdfast.lock("CASE").tryAcquire().orElseThrow()) {
                assertThat(List.of(lower.name(), upper.name())).containsExactly("case", "CASE");
            }
        }
    }
}
