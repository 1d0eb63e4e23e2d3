package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Many leases are renewed by one statement, and drivers do not return which rows it has matched. */
class BatchedRenewalIT {

    @ParameterizedTest
    @CsvSource({
        "POSTGRES, reWriteBatchedInserts=true",
        "MARIADB, useBulkStmts=true",
        "MARIADB, rewriteBatchedStatements=true"
    })
    void eachRequestHasAnOutcome(Database database, String option) {
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url() + "&" + option))) {
            List<Claim> claims = List.of("kept", "released", "kept-too").stream()
                    .map(name -> client.claim(name, Claim.Mode.TRY))
                    .toList();
            claims.forEach(claim -> assertThat(client.acquires(claim)).isTrue());
            assertThat(Eventually.comes(client.store().release(claims.get(1)))).isTrue();

            List<RenewalRequest> renewals = claims.stream()
                    .map(claim -> new RenewalRequest(claim, Duration.ofSeconds(60)))
                    .toList();

            assertThat(Eventually.comes(client.store().renew(renewals)))
                    .containsExactly(
                            RenewalRequest.Outcome.KEPT, RenewalRequest.Outcome.GONE, RenewalRequest.Outcome.KEPT);
        }
    }

    /** It may be locked by a session that is idle in a transaction. The leases are short, so there is not much time. */
    @ParameterizedTest
    @CsvSource({"POSTGRES, 1", "POSTGRES, 3", "MARIADB, 1", "MARIADB, 3"})
    void lockedRowDelaysItsOwnLeaseOnly(Database database, int capacity) throws SQLException {
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
                Sql other = Sql.at(server.url())) {
            Duration lease = Duration.ofSeconds(6);
            List<Claim> claims = List.of(
                    client.claim("before", Claim.Mode.TRY, lease),
                    client.claim("locked", Claim.Mode.TRY, 1, capacity, lease),
                    client.claim("other", Claim.Mode.TRY, lease),
                    client.claim("others-share", Claim.Mode.TRY, 1, 3, lease));
            claims.forEach(claim -> assertThat(client.acquires(claim)).isTrue());
            other.connection().setAutoCommit(false);
            other.number("SELECT 1 FROM holdfast_lease WHERE name = 'locked' FOR UPDATE");

            List<RenewalRequest> renewals = claims.stream()
                    .map(claim -> new RenewalRequest(claim, lease))
                    .toList();

            assertThat(Eventually.comes(client.store().renew(renewals)))
                    .containsExactly(
                            RenewalRequest.Outcome.KEPT,
                            RenewalRequest.Outcome.UNKNOWN,
                            RenewalRequest.Outcome.KEPT,
                            RenewalRequest.Outcome.KEPT);
        }
    }

    /** A batch of one row that is locked: the last of 101 in one statement of 100. */
    @ParameterizedTest
    @CsvSource({"POSTGRES, 101", "POSTGRES, 102", "MARIADB, 101", "MARIADB, 102"})
    void lockedRowInABatchOfItsOwnCostsNoOtherLease(Database database, int count) throws SQLException {
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
                Sql other = Sql.at(server.url())) {
            Duration lease = Duration.ofSeconds(10);
            List<RenewalRequest> renewals = IntStream.range(0, count)
                    .mapToObj(i -> client.claim("name" + (1_000 + i), Claim.Mode.TRY, lease))
                    .map(claim -> new RenewalRequest(claim, lease))
                    .toList();
            renewals.forEach(
                    renewal -> assertThat(client.acquires(renewal.claim())).isTrue());
            other.connection().setAutoCommit(false);
            other.number("SELECT 1 FROM holdfast_lease WHERE name = 'name" + (999 + count) + "' FOR UPDATE");

            List<RenewalRequest.Outcome> outcomes =
                    Eventually.comes(client.store().renew(renewals));

            assertThat(outcomes.subList(0, count - 1)).containsOnly(RenewalRequest.Outcome.KEPT);
            assertThat(outcomes.get(count - 1)).isEqualTo(RenewalRequest.Outcome.UNKNOWN);
        }
    }

    /**
     * A lock timeout is longer than what a short lease leaves for the answer of the database. The connection would be lost, and the next one may
     * last for long, if the store has to borrow it.
     */
    @ParameterizedTest
    @CsvSource({"POSTGRES, 1000", "MARIADB, 2000"})
    void lockedRowsCostNoOtherShortLease(Database database, long millis) throws SQLException {
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
                Database.Admin admin = database.admin(server);
                Sql other = Sql.at(server.url())) {
            List<Claim> claims = IntStream.range(0, 20)
                    .mapToObj(i -> client.claim("name" + (10 + i), Claim.Mode.TRY, Duration.ofMinutes(1)))
                    .toList();
            claims.forEach(claim -> assertThat(client.acquires(claim)).isTrue());
            other.connection().setAutoCommit(false);
            other.number("SELECT count(*) FROM (SELECT 1 FROM holdfast_lease WHERE name > 'name26' FOR UPDATE) l");
            List<Long> sessions = admin.sessions();

            List<RenewalRequest> renewals = claims.stream()
                    .map(claim -> new RenewalRequest(claim, Duration.ofMillis(millis)))
                    .toList();
            for (int i = 0; i < 4; i++) {
                List<RenewalRequest.Outcome> outcomes =
                        Eventually.comes(client.store().renew(renewals));
                assertThat(outcomes.subList(0, 17)).containsOnly(RenewalRequest.Outcome.KEPT);
                assertThat(outcomes.subList(17, 20)).containsOnly(RenewalRequest.Outcome.UNKNOWN);
            }

            assertThat(admin.sessions()).containsExactlyInAnyOrderElementsOf(sessions);
        }
    }

    /** H2 waits for two seconds unless it is configured, and its driver has no network timeout inside a JVM. */
    @Test
    void lockedRowInH2CostsNoOtherLease() throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(4)).build();
        String ends = "SELECT MIN(ends_at) FROM holdfast_lease WHERE name <> STRINGTOUTF8('held0')";
        try (Holdfast holdfast = Holdfast.builder(Kind.LEASE_TABLE.at(url)).build();
                Sql admin = Sql.at(url);
                Sql other = Sql.at(url)) {
            List<Lease> held = IntStream.range(0, 10)
                    .mapToObj(i -> holdfast.lock("held" + i, options).acquire())
                    .toList();
            long end = admin.number(ends);
            other.connection().setAutoCommit(false);
            other.number("SELECT 1 FROM holdfast_lease WHERE name = STRINGTOUTF8('held0') FOR UPDATE");

            Eventually.holds("they are renewed for longer than a lease", () -> admin.number(ends) - end > 6_000_000);

            assertThat(held.subList(1, 10))
                    .allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
        }
    }

    /** Other processes use the rows all the time: they are locked nearly always, but each time for a moment only. */
    @ParameterizedTest
    @CsvSource({"POSTGRES, 1", "POSTGRES, 3", "MARIADB, 1", "MARIADB, 3"})
    void rowsThatOthersLockForMomentsAreRenewed(Database database, int capacity) {
        Duration lease = Duration.ofSeconds(5);
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (SqlServer server = database.start();
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url()))) {
            List<RenewalRequest> renewals = Stream.of("hot", "hotter", "hottest")
                    .map(name -> client.claim(name, Claim.Mode.TRY, 1, capacity, lease))
                    .map(claim -> new RenewalRequest(claim, lease))
                    .toList();
            renewals.forEach(
                    renewal -> assertThat(client.acquires(renewal.claim())).isTrue());
            List<CompletableFuture<Void>> others = renewals.stream()
                    .flatMap(renewal ->
                            Stream.generate(() -> renewal.claim().name()).limit(3))
                    .map(name -> CompletableFuture.runAsync(() -> lockAgainAndAgain(server, name, done), threads))
                    .toList();

            for (int round = 0; round < 30; round++) {
                assertThat(Eventually.comes(client.store().renew(renewals))).containsOnly(RenewalRequest.Outcome.KEPT);
            }

            assertThat(others).noneMatch(CompletableFuture::isDone);
            done.set(true);
            others.forEach(Eventually::comes);
        } finally {
            done.set(true);
            threads.shutdown();
        }
    }

    private static void lockAgainAndAgain(SqlServer server, String name, AtomicBoolean done) {
        try (Sql sql = Sql.at(server.url())) {
            sql.connection().setAutoCommit(false);
            while (!done.get()) {
                sql.number("SELECT 1 FROM holdfast_lease WHERE name = '" + name + "' FOR UPDATE");
                sql.connection().commit();
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Each waiter blocks its connection until the lock timeout, again and again; renewals come first in between. */
    @ParameterizedTest
    @EnumSource(Database.class)
    void waitersForLockedRowsCostNoOtherLease(Database database) throws SQLException {
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(5)).build();
        try (SqlServer server = database.start();
                Holdfast holding =
                        Holdfast.builder(Kind.LEASE_TABLE.at(server.url())).build();
                Holdfast holdfast =
                        Holdfast.builder(Kind.LEASE_TABLE.at(server.url())).build();
                Sql other = Sql.at(server.url())) {
            List<Lease> held = IntStream.range(0, 20)
                    .mapToObj(i -> holdfast.lock("held" + i, options).acquire())
                    .toList();
            long end = earliestEnd(server);
            List<String> waited =
                    IntStream.range(0, 8).mapToObj(i -> "waited" + i).toList();
            LockOptions hours =
                    LockOptions.builder().leaseTime(Duration.ofHours(1)).build();
            waited.forEach(name -> holding.lock(name, hours).acquire());
            other.connection().setAutoCommit(false);
            other.number("SELECT count(*) FROM (SELECT 1 FROM holdfast_lease WHERE name LIKE 'waited%' FOR UPDATE) l");
            List<CompletableFuture<Lease>> waiters = waited.stream()
                    .map(name -> holdfast.lock(name).acquireAsync(Duration.ofMinutes(10)))
                    .toList();

            Eventually.holds("they are renewed for longer than a lease", () -> earliestEnd(server) - end > 8_000_000);

            assertThat(held).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
            waiters.forEach(waiter -> waiter.cancel(true));
        }
    }

    private static long earliestEnd(SqlServer server) {
        try (Sql sql = Sql.at(server.url())) {
            return sql.number("SELECT MIN(ends_at) FROM holdfast_lease WHERE name LIKE 'held%'");
        }
    }
}
