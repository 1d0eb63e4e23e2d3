package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The server is killed and started again, with and without what it knew. */
class RestartIT {

    private static final LockOptions OPTIONS = LockOptions.builder()
            .leaseTime(Duration.ofSeconds(3))
            .maxWait(Eventually.LIMIT)
            .build();

    @Test
    void holderIsNotifiedOfDataLossAndTokensStillIncrease() {
        try (RedisServer server = RedisServer.start();
                Holdfast one = open(server);
                Holdfast other = open(server)) {
            Lease before = one.lock("apples").acquire();

            server.restart();
            Lease next = other.lock("apples").acquire();

            assertThat(next.token()).isGreaterThan(before.token());
            Eventually.state(before, LeaseState.LOST);
            assertThat(before.release()).isFalse();
            assertThat(next.state()).isEqualTo(LeaseState.HELD);
            assertThat(next.release()).isTrue();
            KeyCheck.everyKeyExpires(server);
        }
    }

    @Test
    void waiterIsServedAfterDataLoss() {
        try (RedisServer server = RedisServer.start();
                Holdfast one = open(server);
                Holdfast other = open(server)) {
            Lease before = one.lock("pears").acquire();
            CompletableFuture<Lease> waiter = other.lock("pears").acquireAsync();
            Eventually.waiters(one.lock("pears"), 1);

            server.restart();

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(before.token());
            Eventually.state(before, LeaseState.LOST);
            assertThat(next.release()).isTrue();
            KeyCheck.everyKeyExpires(server);
        }
    }

    @Test
    void persistentServerKeepsTheLeaseAndTheQueue() {
        try (RedisServer server = RedisServer.start("appendonly yes", "appendfsync always");
                Holdfast one = open(server);
                Holdfast other = open(server)) {
            Lease held = one.lock("plums").acquire();
            CompletableFuture<Lease> waiter = other.lock("plums").acquireAsync();
            Eventually.waiters(one.lock("plums"), 1);

            server.restart();
            Eventually.renewed(held);
            assertThat(held.state()).isEqualTo(LeaseState.HELD);

            assertThat(waiter).isNotDone();
            assertThat(one.lock("plums").inspect().holders()).hasSize(1);
            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
            KeyCheck.everyKeyExpires(server);
        }
    }

    private static Holdfast open(RedisServer server) {
        return Holdfast.builder(server.url()).defaults(OPTIONS).build();
    }
}
