package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.ServerClock;
import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The wall clock of the server is set, by which leases in the table expire, and from which tokens come. */
@ParameterizedClass
@EnumSource
class ServerClockIT {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private static ServerClock clock;
    private static SqlServer server;

    private final Database database;

    ServerClockIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        Optional<String> obstacle = ServerClock.obstacle();
        assumeTrue(obstacle.isEmpty(), () -> "skipped: " + obstacle.orElseThrow());
        clock = ServerClock.create();
        server = database.startWithClock(clock);
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (server != null) {
            server.close();
            clock.close();
        }
    }

    @Test
    void stepForwardFreesTheLockEarlyAndTheNextTokenIsLarger() {
        try (Holdfast one = open(Kind.LEASE_TABLE);
                Holdfast other = open(Kind.LEASE_TABLE)) {
            Lease held = one.lock("forward").acquire();
            clock.step(LEASE.multipliedBy(2));
            Lease next = other.lock("forward").acquire();

            assertThat(next.token()).isGreaterThan(held.token());
            Eventually.state(held, LeaseState.LOST);
            assertThat(held.release()).isFalse();
            assertThat(next.release()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void stepBackKeepsTokensGrowing(Kind kind) {
        try (Holdfast one = open(kind);
                Holdfast other = open(kind)) {
            long last = 0;
            for (int round = 0; round < 5; round++) {
                clock.step(Duration.ofMinutes(-1));
                long token = (round % 2 == 0 ? one : other).lock("back").call(Lease::token);
                assertThat(token).isGreaterThan(last);
                last = token;
            }
        }
    }

    @Test
    void stepBackAffectsNeitherHolderNorWaiter() {
        try (Holdfast one = open(Kind.LEASE_TABLE);
                Holdfast other = open(Kind.LEASE_TABLE)) {
            Lease held = one.lock("waited").acquire();
            CompletableFuture<Lease> waiter = other.lock("waited").acquireAsync();
            clock.step(Duration.ofMinutes(-5));
            Eventually.renewed(held);
            assertThat(waiter).isNotDone();

            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void stepBackBlocksTheNameForNoLongerThanTheLeaseAndTheStep() {
        Duration lease = Duration.ofSeconds(1);
        Duration step = Duration.ofSeconds(2);
        try (StoreClient dead = new StoreClient(Kind.LEASE_TABLE.at(server.url()));
                Holdfast other = open(Kind.LEASE_TABLE)) {
            // It is not renewed.
            assertThat(dead.acquires(dead.claim("late", Claim.Mode.TRY, lease))).isTrue();
            clock.step(step.negated());
            long begun = System.nanoTime();

            Lease next = other.lock("late").acquire(Eventually.LIMIT);

            Eventually.figure(database + ": lease of 1 s, clock set back by 2 s, next grant after", begun);
            assertThat(next.release()).isTrue();
        }
    }

    /** PostgreSQL counts by the wall clock for how long a session was idle, and may end it; MariaDB does not. */
    @ParameterizedTest
    @ValueSource(strings = {"PT12S", "PT-5M"})
    void stepKeepsASessionLockOrItsHolderIsNotified(Duration step) {
        try (Holdfast one = open(Kind.SESSION_LOCKS);
                Holdfast other = open(Kind.SESSION_LOCKS)) {
            Lease held = one.lock("session").acquire();
            clock.step(step);
            Duration[] least = {held.remaining()};
            Eventually.holds("it is renewed, or lost", () -> {
                Duration left = held.remaining();
                boolean renewed = left.compareTo(least[0]) > 0;
                least[0] = left;
                return renewed || held.state() == LeaseState.LOST;
            });
            assertThat(held.state() == LeaseState.HELD || database == Database.POSTGRES)
                    .isTrue();
            held.release();
            assertThat(other.lock("session").call(Lease::token)).isGreaterThan(held.token());
        }
    }

    private static Holdfast open(Kind kind) {
        return kind.open(server.url(), LEASE);
    }
}
