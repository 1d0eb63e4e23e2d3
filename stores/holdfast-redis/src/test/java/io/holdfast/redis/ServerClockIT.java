package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.OldRedis;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.ServerClock;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
    void stepBackMakesALockThatIsNotReleasedEndLate() {
        Lease held = one.lock("late").acquire();
        clock.step(LEASE.negated());
        assertThat(one.lock("late").inspect().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.remaining()).isGreaterThan(LEASE));
        assertThat(held.release()).isTrue();
    }

    @Test
    void stepForwardDoesNotSendWaitersAway() {
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
                .defaults(LockOptions.defaults().withLeaseTime(LEASE).withMaxWait(Eventually.LIMIT))
                .build();
    }

    private static void skipIf(Optional<String> obstacle) {
        assumeTrue(obstacle.isEmpty(), () -> "skipped: " + obstacle.orElseThrow());
    }
}
