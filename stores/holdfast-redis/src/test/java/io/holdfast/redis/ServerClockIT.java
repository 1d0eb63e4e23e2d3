package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.servers.OldRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.ServerClock;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The wall clock of the server is set, which leases there and tokens go by. */
class ServerClockIT {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private ServerClock clock;
    private RedisServer server;
    private Holdfast one;
    private Holdfast other;

    @BeforeEach
    void start() {
        skipIf(OldRedis.obstacle());
        skipIf(ServerClock.obstacle());
        clock = ServerClock.create();
        server = OldRedis.start(clock);
        one = open();
        other = open();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            KeyCheck.everyKeyExpires(server);
            one.close();
            other.close();
            server.close();
            clock.close();
        }
    }

    @Test
    void stepForwardFreesTheLockEarlyAndTheNextTokenIsLarger() {
        Lease held = one.lock("forward").acquire();
        clock.step(LEASE.multipliedBy(2));
        Lease next = other.lock("forward").acquire();

        assertThat(next.token()).isGreaterThan(held.token());
        Eventually.state(held, LeaseState.LOST);
        assertThat(held.release()).isFalse();
        assertThat(next.release()).isTrue();
    }

    @Test
    void stepBackKeepsTokensGrowing() {
        long last = 0;
        for (int round = 0; round < 5; round++) {
            clock.step(Duration.ofMinutes(-1));
            long token = (round % 2 == 0 ? one : other).lock("back").call(Lease::token);
            assertThat(token).isGreaterThan(last);
            last = token;
        }
    }

    @Test
    void stepBackHarmsNeitherHolderNorWaiter() {
        Lease held = one.lock("waited").acquire();
        CompletableFuture<Lease> waiter = other.lock("waited").acquireAsync();
        Eventually.waiters(one.lock("waited"), 1);
        clock.step(Duration.ofMinutes(-5));
        Eventually.renewed(held);
        assertThat(waiter).isNotDone();

        assertThat(held.release()).isTrue();
        Lease next = Eventually.comes(waiter);
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(next.release()).isTrue();
    }

    @Test
    void stepBackDoesNotMakeALeaseLonger() {
        Lease held = one.lock("late").acquire();
        clock.step(LEASE.negated());
        assertThat(one.lock("late").inspect().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.remaining()).isLessThanOrEqualTo(LEASE));
        assertThat(held.release()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, Claim.READ_WRITE})
    void crashedHoldersBlockForTheirLeaseAfterAStepBack(int capacity) {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            int each = Math.max(1, capacity / 2);
            for (int held = 0; held < capacity; held += each) {
                Claim crashed = client.claim("crashed", Claim.Mode.TRY, each, capacity, Duration.ofSeconds(2));
                assertThat(Eventually.comes(client.store().acquire(crashed))).isPresent();
            }
            clock.step(Duration.ofMinutes(-10));

            Claim next = client.claim("crashed", Claim.Mode.WAIT, capacity, capacity, LEASE);
            assertThat(Eventually.comes(client.store().acquire(next))).isPresent();
            assertThat(Eventually.comes(client.store().release(next))).isTrue();
        }
        try (RespClient redis = server.client()) {
            assertThat(redis.list("HKEYS", "holdfast:{crashed}")).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void stepBackDoesNotEndALeaseBeforeItsTime(int capacity) {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            Claim held = client.claim("kept", Claim.Mode.TRY, capacity, capacity, LEASE);
            Grant grant = Eventually.comes(client.store().acquire(held)).orElseThrow();
            for (int step = 0; step < 5; step++) {
                clock.step(Duration.ofMinutes(-1));
                Claim other = client.claim("kept", Claim.Mode.TRY, 1, capacity, LEASE);
                assertThat(Eventually.comes(client.store().acquire(other))).isEmpty();
                RenewalRequest renewal = new RenewalRequest(held, LEASE);
                assertThat(Eventually.comes(client.store().renew(List.of(renewal))))
                        .containsExactly(RenewalRequest.Outcome.KEPT);
            }
            assertThat(Eventually.comes(client.store().revoke("kept", grant.firstToken())))
                    .isTrue();
        }
    }

    /** The lease was granted by another server; here its end is a time of that server's clock. */
    @Test
    void failoverToAServerWhoseClockIsAheadEndsALeaseEarlyByTheDifference() {
        Duration ahead = LEASE.dividedBy(2);
        try (ServerClock otherClock = ServerClock.create();
                RedisServer replica = OldRedis.start(otherClock);
                RespClient admin = replica.client();
                StoreClient before = new StoreClient(RedisStore.at(server.url()));
                StoreClient after = new StoreClient(RedisStore.at(replica.url()))) {
            otherClock.step(ahead);
            admin.call("REPLICAOF", "127.0.0.1", String.valueOf(server.port()));
            Eventually.holds(
                    "the replica follows",
                    () -> admin.text("INFO", "replication").contains("master_link_status:up"));
            Claim held = before.claim("moved", Claim.Mode.TRY, LEASE);
            Grant grant = Eventually.comes(before.store().acquire(held)).orElseThrow();
            Eventually.holds("the replica has it", () -> admin.number("EXISTS", "holdfast:{moved}") == 1);
            admin.call("REPLICAOF", "NO", "ONE");

            LockInfo there = Eventually.comes(after.store().inspect(NameFilter.exactly("moved")))
                    .get(0);
            assertThat(there.holders())
                    .singleElement()
                    .satisfies(holder ->
                            assertThat(holder.remaining()).isPositive().isLessThanOrEqualTo(LEASE.minus(ahead)));
            Claim next = after.claim("moved", Claim.Mode.WAIT, LEASE);
            assertThat(Eventually.comes(after.store().acquire(next)))
                    .hasValueSatisfying(
                            granted -> assertThat(granted.firstToken()).isGreaterThan(grant.firstToken()));
        }
    }

    @Test
    void stepForwardDoesNotDropWaiters() {
        Lease held = one.lock("queue").acquire();
        CompletableFuture<Lease> waiter = other.lock("queue").acquireAsync();
        Eventually.waiters(one.lock("queue"), 1);
        clock.step(Duration.ofSeconds(5));
        assertThat(held.release()).isTrue();
        Lease next = Eventually.comes(waiter);
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(next.release()).isTrue();
    }

    private Holdfast open() {
        return Holdfast.builder(server.url())
                .defaults(LockOptions.builder()
                        .leaseTime(LEASE)
                        .maxWait(Eventually.LIMIT)
                        .build())
                .build();
    }

    private static void skipIf(Optional<String> obstacle) {
        assumeTrue(obstacle.isEmpty(), () -> "skipped: " + obstacle.orElseThrow());
    }
}
