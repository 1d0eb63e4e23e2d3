package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.servers.Direction;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks of other processes are inspected, and released by force. */
@ParameterizedClass
@EnumSource
class InspectionIT {

    private static SqlServer server;

    private final Database database;

    InspectionIT(Database database) {
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
    void lockIsSeenAndBroken(Kind kind) {
        Inspections.inspectAndBreak(kind.name(), server.url());
    }

    /** The network is slow, and another process acquires the lock after one of the steps of a forced release. */
    @ParameterizedTest
    @CsvSource({"0, same", "1, same", "2, same", "3, same", "0, other", "1, other", "2, other", "3, other"})
    void successorOnTheSameSessionIsNotHit(int steps, String successor) {
        try (TcpProxy network = TcpProxy.to(server.port());
                StoreClient client = new StoreClient(Kind.SESSION_LOCKS.at(server.url()));
                StoreClient breaker = new StoreClient(Kind.SESSION_LOCKS.at(database.url(server, network.port())))) {
            String name = "predecessor-" + steps + successor;
            Claim first = client.claim(name, Claim.Mode.TRY);
            long token = Eventually.comes(client.store().acquire(first))
                    .orElseThrow()
                    .firstToken();
            assertThat(Eventually.comes(breaker.store().revoke(name, token - 1)))
                    .as("its connection is open now")
                    .isFalse();

            network.delay(Direction.TO_SERVER, Duration.ofMillis(200));
            CompletableFuture<Boolean> broken = breaker.store().revoke(name, token);
            for (int step = 0; step < steps; step++) {
                long answered = network.bytes(Direction.TO_CLIENT);
                Eventually.holds(
                        "a step is answered", () -> network.bytes(Direction.TO_CLIENT) > answered || broken.isDone());
            }
            CompletableFuture<Boolean> released = client.store().release(first);
            Claim second = client.claim(successor.equals("same") ? name : name + "-other", Claim.Mode.WAIT);
            Optional<Grant> next = Eventually.comes(client.store().acquire(second));

            Eventually.holds("it has been answered", broken::isDone);
            Eventually.holds("this, too", released::isDone);
            assertThat(next)
                    .hasValueSatisfying(grant -> assertThat(grant.firstToken()).isGreaterThan(token));
            assertThat(Eventually.comes(
                            client.store().renew(List.of(new RenewalRequest(second, Duration.ofSeconds(60))))))
                    .as("the successor has its lock")
                    .containsExactly(RenewalRequest.Outcome.KEPT);
            assertThat(Eventually.comes(client.store().release(second))).isTrue();
        }
    }

    /** The rows of expired leases are in the table until they are swept. */
    @Test
    void expiredHoldersAreNotListed() {
        try (Database.Admin admin = database.admin(server);
                StoreClient closed = new StoreClient(Kind.SESSION_LOCKS.at(server.url()));
                StoreClient there = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            Claim lost = closed.claim("listed-1", Claim.Mode.TRY);
            assertThat(closed.acquires(lost)).isTrue();
            admin.numbers(database.holders()).forEach(session -> admin.execute(database.end(session)));
            Eventually.holds(
                    "it was removed", () -> admin.numbers(database.holders()).isEmpty());
            Claim kept = there.claim("listed-2", Claim.Mode.TRY);
            assertThat(there.acquires(kept)).isTrue();

            assertThat(Eventually.comes(there.store().inspect(NameFilter.startingWith("listed-", 1))))
                    .extracting(LockInfo::name)
                    .containsExactly("listed-2");

            assertThat(Eventually.comes(there.store().release(kept))).isTrue();
        }
    }

    /** Names that are idle are read in pages, so that they delay no renewal. */
    @Test
    void heldNamesAreFoundAmongThousandsOfIdleOnes() {
        try (Database.Admin admin = database.admin(server);
                StoreClient client = new StoreClient(Kind.LEASE_TABLE.at(server.url()))) {
            long now = System.currentTimeMillis() * 1_000;
            admin.execute(
                    "INSERT INTO holdfast_lease (name, capacity, first_token, last_token, granted_at, ends_at) VALUES "
                            + IntStream.range(0, 12_001)
                                    .mapToObj(i -> "('idle:%05d', 1, 0, 0, %d, 0)".formatted(i, now))
                                    .collect(Collectors.joining(",")));
            List<String> names =
                    List.of("idle:", "idle:00000", "idle:04999", "idle:05000", "idle:09999x", "idle:12001", "idlf");
            names.forEach(name -> assertThat(client.acquires(client.claim(name, Claim.Mode.TRY)))
                    .isTrue());

            assertThat(inspect(client, "idle:", 100)).isEqualTo(names.subList(0, 6));
            assertThat(inspect(client, "idle:", 3)).isEqualTo(names.subList(0, 3));
            assertThat(inspect(client, "idle:05", 100)).containsExactly("idle:05000");
            assertThat(inspect(client, "", 1_000)).containsSubsequence(names);
        }
    }

    /** A statement for each would delay renewals: they are executed between pages only. */
    @Test
    void holdersOfSharedNamesAreReadTogether() {
        int names = 250;
        int shortestStatement = 100;
        try (TcpProxy network = TcpProxy.to(server.port());
                StoreClient holder = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
                StoreClient observer = new StoreClient(Kind.LEASE_TABLE.at(database.url(server, network.port())))) {
            for (int i = 0; i < names; i++) {
                for (int units : new int[] {1, 2}) {
                    Claim share = holder.claim("shared:" + i, Claim.Mode.TRY, units, 4, Duration.ofHours(1));
                    assertThat(holder.acquires(share)).isTrue();
                }
            }
            assertThat(inspect(observer, "shared:0", 1)).containsExactly("shared:0");

            long before = network.bytes(Direction.TO_SERVER);
            List<LockInfo> found =
                    Eventually.comes(observer.store().inspect(NameFilter.startingWith("shared:", 1_000)));
            long sent = network.bytes(Direction.TO_SERVER) - before;

            assertThat(found)
                    .hasSize(names)
                    .allSatisfy(info -> assertThat(info.holders())
                            .extracting(LockInfo.Holder::permits)
                            .containsExactlyInAnyOrder(1, 2));
            assertThat(sent).as("bytes sent").isLessThan((long) names * shortestStatement);
            assertThat(inspect(observer, "shared:", 120)).hasSize(120);
        }
    }

    private static List<String> inspect(StoreClient client, String prefix, int limit) {
        return Eventually.comes(client.store().inspect(NameFilter.startingWith(prefix, limit))).stream()
                .map(LockInfo::name)
                .toList();
    }
}
