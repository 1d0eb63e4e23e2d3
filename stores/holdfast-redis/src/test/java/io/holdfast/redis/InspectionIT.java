package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.servers.Direction;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.NameFilter;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Inspection of many names, most of which are idle. */
class InspectionIT {

    private static final int IDLE = 2_000;
    private static final int AT_ONCE = 100;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            List<CompletableFuture<Boolean>> uses = new ArrayList<>();
            for (int i = 0; i < IDLE; i++) {
                Claim claim = client.claim("idle:" + i, Claim.Mode.TRY);
                uses.add(client.store()
                        .acquire(claim)
                        .thenCompose(grant -> client.store().release(claim)));
            }
            uses.forEach(use -> assertThat(Eventually.comes(use)).isTrue());
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void fewHeldLocksAreFoundAmongManyIdleOnesWhileRenewalsContinue() {
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(1)).build();
        try (Holdfast holdfast =
                Holdfast.builder(server.url()).defaults(options).build()) {
            List<Lease> held = Stream.of("busy:1", "busy:2", "busy:3")
                    .map(name -> holdfast.lock(name).acquire())
                    .toList();
            long start = System.nanoTime();
            // For longer than a lease lasts without renewal.
            Eventually.holds("it was inspected for two leases", () -> {
                assertThat(holdfast.inspect("", 10))
                        .extracting(LockInfo::name)
                        .containsExactlyInAnyOrder("busy:1", "busy:2", "busy:3");
                assertThat(held).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
                return System.nanoTime() - start
                        > options.leaseTime().multipliedBy(2).toNanos();
            });
            held.forEach(lease -> assertThat(lease.release()).isTrue());
        }
    }

    @Test
    void aHundredNamesInUseAreReadForTen() {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()));
                Holdfast holdfast = Holdfast.connect(server.url())) {
            List<Claim> held = new ArrayList<>();
            for (int i = 0; i < 5 * AT_ONCE; i++) {
                Claim claim = client.claim("held:" + i, Claim.Mode.TRY);
                held.add(claim);
                assertThat(Eventually.comes(client.store().acquire(claim))).isPresent();
            }

            // So the server knows the script.
            assertThat(holdfast.lock("held:0").inspect().isFree()).isFalse();
            long before = Commands.sent(server);
            assertThat(holdfast.inspect("held:", 10)).hasSize(10);
            assertThat(Commands.sent(server) - before).isLessThanOrEqualTo(AT_ONCE);

            assertThat(holdfast.inspect("held:", AT_ONCE + 1)).hasSize(AT_ONCE + 1);
            held.forEach(claim ->
                    assertThat(Eventually.comes(client.store().release(claim))).isTrue());
        }
    }

    @Test
    void namesThatAreNotInUseCostNoScript() {
        try (Holdfast holdfast = Holdfast.connect(server.url())) {
            long before = Commands.sent(server);
            assertThat(holdfast.inspect("idle:", 10)).isEmpty();
            assertThat(Commands.sent(server) - before).isZero();
        }
    }

    @Test
    void scanStopsWhenThereAreEnough() {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            List<Claim> held = new ArrayList<>();
            for (int i = 0; i < 5 * AT_ONCE; i++) {
                Claim claim = client.claim("busy:" + i, Claim.Mode.TRY);
                held.add(claim);
                assertThat(Eventually.comes(client.store().acquire(claim))).isPresent();
            }

            long before = Commands.count(server, "scan");
            assertThat(Eventually.comes(client.store().inspect(NameFilter.startingWith("", 1))))
                    .hasSize(1);
            long scansOfSome = Commands.count(server, "scan") - before;
            assertThat(Eventually.comes(client.store().inspect(NameFilter.startingWith("", 2 * held.size()))))
                    .hasSize(held.size());
            long scansOfAll = Commands.count(server, "scan") - before - scansOfSome;

            assertThat(scansOfSome).isPositive().isLessThan(scansOfAll);
            held.forEach(claim ->
                    assertThat(Eventually.comes(client.store().release(claim))).isTrue());
        }
    }

    @Test
    void fewHeldLocksAreFoundAmongManyOfCrashedHolders() {
        try (RedisServer other = RedisServer.start();
                StoreClient client = new StoreClient(RedisStore.at(other.url()))) {
            List<CompletableFuture<?>> crashed = new ArrayList<>();
            for (int i = 0; i < IDLE; i++) {
                crashed.add(client.store().acquire(client.claim("crashed:" + i, Claim.Mode.TRY, Duration.ofMillis(1))));
            }
            crashed.forEach(Eventually::comes);
            Eventually.holds(
                    "all have expired",
                    () -> Eventually.comes(client.store().inspect(NameFilter.startingWith("", IDLE)))
                            .isEmpty());
            List<Claim> held = Stream.of("busy:1", "busy:2", "busy:3")
                    .map(name -> client.claim(name, Claim.Mode.TRY))
                    .toList();
            held.forEach(claim -> assertThat(client.acquires(claim)).isTrue());

            for (int limit = 1; limit <= held.size() + 1; limit++) {
                assertThat(Eventually.comes(client.store().inspect(NameFilter.startingWith("", limit))))
                        .hasSize(Math.min(limit, held.size()))
                        .allSatisfy(info -> assertThat(info.name()).startsWith("busy:"));
            }
        }
    }

    @Test
    void connectionThatDoesNotAnswerScanIsReplaced() {
        try (TcpProxy network = TcpProxy.to(server.port());
                StoreClient client = new StoreClient(
                        RedisStore.at("redis://127.0.0.1:" + network.port()).timeout(Duration.ofMillis(200)))) {
            assertThat(Eventually.comes(client.store().inspect(NameFilter.startingWith("", 1))))
                    .isEmpty();
            assertThat(network.carrying("SCAN")).isNotEmpty().allSatisfy(connection -> {
                connection.stall(Direction.TO_SERVER);
                connection.stall(Direction.TO_CLIENT);
            });

            Eventually.holds(
                    "a search is answered",
                    () -> Eventually.comes(client.store()
                            .inspect(NameFilter.startingWith("", 1))
                            .thenApply(List::isEmpty)
                            .exceptionally(notAnswered -> false)));
        }
    }

    @Test
    void scanThatIsNotAnsweredFails() {
        try (TcpProxy network = TcpProxy.to(server.port());
                StoreClient client = new StoreClient(
                        RedisStore.at("redis://127.0.0.1:" + network.port()).timeout(Duration.ofMillis(200)))) {
            network.stall();
            CompletableFuture<List<LockInfo>> answer = client.store().inspect(NameFilter.startingWith("", 1));
            assertThat(answer)
                    .failsWithin(Eventually.LIMIT)
                    .withThrowableThat()
                    .havingCause()
                    .withMessageContaining("No answer from Redis within");
            network.flow();
        }
    }
}
