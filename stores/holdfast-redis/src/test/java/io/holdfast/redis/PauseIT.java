package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The server answers nothing for a while: its connections stay open, as in a long pause of its machine. */
class PauseIT {

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
    void pauseShorterThanTheLeaseKeepsIt() {
        try (Holdfast one = open(Duration.ofSeconds(6));
                Holdfast other = open(Duration.ofSeconds(6))) {
            Lease held = one.lock("short").acquire();
            CompletableFuture<Lease> waiter = other.lock("short").acquireAsync();
            Eventually.waiters(one.lock("short"), 1);

            server.pause();
            try {
                Eventually.state(held, LeaseState.AT_RISK);
            } finally {
                server.resume();
            }

            Eventually.state(held, LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void pauseLongerThanTheLeaseEndsItByTheHoldersOwnClock() {
        try (Holdfast one = open(Duration.ofSeconds(1));
                Holdfast other = open(Duration.ofSeconds(1))) {
            Lease held = one.lock("long").acquire();
            Lease closed = one.lock("long, too").acquire();
            CompletableFuture<Lease> waiter = other.lock("long").acquireAsync();
            Eventually.waiters(one.lock("long"), 1);

            server.pause();
            try {
                Eventually.state(held, LeaseState.LOST);
                Eventually.state(closed, LeaseState.LOST);
                assertThat(waiter).isNotDone();
            } finally {
                server.resume();
            }

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(held.release()).isFalse();
            assertThatThrownBy(closed::close).isInstanceOf(LeaseLostException.class);
            assertThat(next.release()).isTrue();
        }
    }

    private static Holdfast open(Duration lease) {
        return Holdfast.builder(RedisStore.at(server.url()).timeout(Duration.ofMillis(300)))
                .defaults(LockOptions.builder()
                        .leaseTime(lease)
                        .maxWait(Eventually.LIMIT)
                        .build())
                .build();
    }
}
