package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.jdbc.internal.sweep.RowSweeper;
import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks leak no connections and no threads, and rows are removed after the retention time. */
@ParameterizedClass
@EnumSource
class LeakIT {

    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final int USES = 1_000;
    private static final int DOUBLINGS = 12;
    private static final int NAMES = 40;
    private static final long LONG_AGO = Duration.ofMinutes(20).toNanos() / 1_000;

    private static SqlServer server;

    private final Database database;

    LeakIT(Database database) {
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

    @ParameterizedTest
    @EnumSource
    void aThousandLocksLeaveNothing(Kind kind) {
        Set<Thread> before = threadsOtherThan(Set.of());
        try (Database.Admin admin = database.admin(server)) {
            Eventually.holds("no session is connected", () -> admin.sessions().isEmpty());
            try (Holdfast holdfast = kind.open(server.url(), LEASE)) {
                List<CompletableFuture<Boolean>> uses = IntStream.range(0, USES)
                        .mapToObj(i -> holdfast.lock("leak-" + i % NAMES)
                                .acquireAsync()
                                .thenCompose(Lease::releaseAsync))
                        .toList();
                uses.forEach(use -> assertThat(Eventually.comes(use)).isTrue());
                assertThat(holdfast.inspect("leak-", NAMES)).isEmpty();
            }
            Eventually.holds(
                    "no threads are left", () -> threadsOtherThan(before).isEmpty());
            Eventually.holds("no connections are left", () -> admin.sessions().isEmpty());
            if (kind == Kind.LEASE_TABLE) {
                assertThat(admin.number("SELECT count(*) FROM holdfast_lease WHERE ends_at > 0"))
                        .isZero();
            }
            assertThat(admin.number("SELECT count(*) FROM " + table(kind))).isEqualTo(NAMES);
            admin.execute("DELETE FROM " + table(kind));
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsOfUnusedNamesAreSwept(Kind kind) {
        Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>();
        try (Database.Admin admin = database.admin(server);
                StoreClient client =
                        new StoreClient(kind.at(server.url()).retention(Duration.ofMinutes(15)), scheduled::add)) {
            Runnable sweep = scheduled.remove();
            Claim kept = client.claim("kept", Claim.Mode.TRY, Duration.ofHours(1));
            assertThat(client.acquires(kept)).isTrue();
            for (String name : List.of("old", "young")) {
                Claim claim = client.claim(name, Claim.Mode.TRY);
                assertThat(client.acquires(claim)).isTrue();
                assertThat(Eventually.comes(client.store().release(claim))).isTrue();
            }
            admin.execute(
                    "UPDATE " + table(kind) + " SET granted_at = granted_at - " + LONG_AGO + " WHERE name <> 'young'");

            sweep.run();

            Eventually.holds("a row was removed", () -> admin.number("SELECT count(*) FROM " + table(kind)) == 2);
            assertThat(admin.number("SELECT count(*) FROM " + table(kind) + " WHERE name = 'old'"))
                    .isZero();
            assertThat(Eventually.comes(client.store().release(kept))).isTrue();
            Eventually.holds("it will be done again", () -> !scheduled.isEmpty());
            admin.execute("DELETE FROM " + table(kind));
        }
    }

    /** Renewed for longer than the retention time, until its process died. */
    @Test
    void permitThatExpiredAfterALongTimeIsSweptWithItsName() {
        JdbcStoreBuilder store = Kind.LEASE_TABLE.at(server.url()).retention(Duration.ofMinutes(15));
        try (Database.Admin admin = database.admin(server);
                StoreClient client = StoreClient.withoutTimers(store)) {
            assertThat(client.acquires(client.claim("permit", Claim.Mode.TRY, 1, 3, LEASE)))
                    .isTrue();
            admin.execute("UPDATE holdfast_lease SET ends_at = granted_at - 1, granted_at = granted_at - " + LONG_AGO);
            admin.execute(
                    "UPDATE holdfast_lease_share SET ends_at = granted_at - 1, granted_at = granted_at - " + LONG_AGO);
        }
        Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>();
        try (Database.Admin admin = database.admin(server);
                StoreClient client = new StoreClient(store, scheduled::add)) {
            assertThat(client.store()).isNotNull();

            sweepUntil("the name was removed", scheduled, () -> rows(admin, Kind.LEASE_TABLE) == 0);

            assertThat(admin.number("SELECT count(*) FROM holdfast_lease_share"))
                    .isZero();
        }
    }

    /** More than are removed in one step, which is so small that no request waits for it. */
    @ParameterizedTest
    @EnumSource
    void manyRowsAreSweptToo(Kind kind) {
        Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>();
        try (Database.Admin admin = database.admin(server);
                StoreClient client =
                        new StoreClient(kind.at(server.url()).retention(Duration.ofMinutes(15)), scheduled::add)) {
            Runnable sweep = scheduled.remove();
            Claim claim = client.claim("pattern", Claim.Mode.TRY);
            assertThat(client.acquires(claim)).isTrue();
            assertThat(Eventually.comes(client.store().release(claim))).isTrue();
            admin.execute("UPDATE " + table(kind) + " SET granted_at = granted_at - " + LONG_AGO);
            String columns = kind == Kind.LEASE_TABLE
                    ? "name, capacity, first_token, last_token, granted_at, ends_at"
                    : "name, slot, lock_key, units, capacity, first_token, last_token, granted_at, lease";
            for (int i = 0; i < DOUBLINGS; i++) {
                String values = columns.replaceFirst("name", "CONCAT('" + i + "-', name)");
                admin.execute(
                        "INSERT INTO " + table(kind) + " (" + columns + ") SELECT " + values + " FROM " + table(kind));
            }
            assertThat(admin.number("SELECT count(*) FROM " + table(kind))).isGreaterThan(2L * RowSweeper.PAGE_SIZE);

            sweep.run();

            sweepUntil("all were removed", scheduled, () -> rows(admin, kind) == 0);
        }
    }

    /** As by a SELECT … FOR UPDATE that is left open in psql. */
    @ParameterizedTest
    @EnumSource
    void sweepContinuesAfterALockedRow(Kind kind) throws SQLException {
        JdbcStoreBuilder store = kind.at(server.url()).retention(Duration.ofMinutes(15));
        try (StoreClient client = StoreClient.withoutTimers(store)) {
            for (String name : List.of("a", "b", "c")) {
                Claim claim = client.claim(name, Claim.Mode.TRY);
                assertThat(client.acquires(claim)).isTrue();
                assertThat(Eventually.comes(client.store().release(claim))).isTrue();
            }
        }
        Queue<Runnable> scheduled = new ConcurrentLinkedQueue<>();
        try (Sql other = Sql.at(server.url())) {
            other.update("UPDATE " + table(kind) + " SET granted_at = granted_at - " + LONG_AGO);
            other.connection().setAutoCommit(false);
            other.number("SELECT capacity FROM " + table(kind) + " WHERE name = 'b' FOR UPDATE");
            try (Database.Admin admin = database.admin(server);
                    StoreClient client = new StoreClient(store, scheduled::add)) {
                assertThat(client.store()).isNotNull();

                sweepUntil("the other rows were removed", scheduled, () -> rows(admin, kind) == 1);

                other.connection().rollback();
                sweepUntil("that row was removed, too", scheduled, () -> rows(admin, kind) == 0);
            }
        }
    }

    private static long rows(Database.Admin admin, Kind kind) {
        return admin.number("SELECT count(*) FROM " + table(kind));
    }

    private static void sweepUntil(String what, Queue<Runnable> scheduled, BooleanSupplier condition) {
        Eventually.holds(what, () -> {
            Optional.ofNullable(scheduled.poll()).ifPresent(Runnable::run);
            return condition.getAsBoolean();
        });
    }

    private static String table(Kind kind) {
        return kind == Kind.LEASE_TABLE ? "holdfast_lease" : "holdfast_session";
    }

    /** Of the store; other tests in this JVM may have left leases that are kept until they end. */
    private static Set<Thread> threadsOtherThan(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-jdbc") && !before.contains(thread))
                .collect(Collectors.toSet());
    }
}
