package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The server is flushed while locks are in use. */
class FlushIT {

    private static final LockOptions OPTIONS = LockOptions.builder()
            .leaseTime(Duration.ofSeconds(2))
            .maxWait(Eventually.LIMIT)
            .build();

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        KeyCheck.everyKeyExpires(server);
        server.close();
    }

    @Test
    void scriptsThatWereFlushedAreSentAgain() {
        try (Holdfast one = open();
                Holdfast other = open();
                RespClient admin = server.client()) {
            for (int round = 0; round < 20; round++) {
                admin.call("SCRIPT", "FLUSH");
                Lease held = one.lock("scripts").acquire();
                CompletableFuture<Lease> waiter = other.lock("scripts").acquireAsync();
                admin.call("SCRIPT", "FLUSH");
                Eventually.waiters(one.lock("scripts"), 1);
                admin.call("SCRIPT", "FLUSH");
                assertThat(held.release()).isTrue();
                Lease next = Eventually.comes(waiter);
                admin.call("SCRIPT", "FLUSH");
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(next.release()).isTrue();
            }
        }
    }

    @Test
    void renewalSurvivesFlushedScripts() {
        try (Holdfast one = open();
                RespClient admin = server.client()) {
            Lease held = one.lock("renewed").acquire();
            long[] least = {held.remaining().toNanos()};
            Eventually.holds("renewed", () -> {
                admin.call("SCRIPT", "FLUSH");
                long left = held.remaining().toNanos();
                least[0] = Math.min(least[0], left);
                return left > least[0];
            });
            assertThat(held.state()).isEqualTo(LeaseState.HELD);
            assertThat(held.release()).isTrue();
        }
    }

    @Test
    void holderIsNotifiedOfTheFlushAndTheWaiterGetsALargerToken() {
        try (Holdfast one = open();
                Holdfast other = open();
                RespClient admin = server.client()) {
            Lease held = one.lock("flushed").acquire();
            CompletableFuture<Lease> waiter = other.lock("flushed").acquireAsync();
            Eventually.waiters(one.lock("flushed"), 1);

            admin.call("FLUSHALL");

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            Eventually.state(held, LeaseState.LOST);
            assertThat(held.release()).isFalse();
            assertThat(next.state()).isEqualTo(LeaseState.HELD);
            assertThat(next.release()).isTrue();
            assertThat(one.lock("flushed").call(Lease::token)).isGreaterThan(next.token());
        }
    }

    private static Holdfast open() {
        return Holdfast.builder(server.url()).defaults(OPTIONS).build();
    }
}
