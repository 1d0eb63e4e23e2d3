package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The server's memory is full, or it would drop locks when it is. */
class MemoryIT {

    /** Longer than a waiter that does not poll stays in the queue. */
    private static final long LONG_WAIT_SECONDS = 4;

    @Test
    void evictionPolicyThatMayDropLocksIsLogged() {
        try (RedisServer server = RedisServer.start("maxmemory 100mb", "maxmemory-policy allkeys-lru");
                LogLines log = LogLines.ofHoldfast();
                Holdfast holdfast = Holdfast.connect(server.url())) {
            holdfast.lock("any").run(lease -> {});
            Eventually.holds("a warning", () -> !log.warnings().isEmpty());
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains(server.url(), "maxmemory-policy", "allkeys-lru", "noeviction");
        }
    }

    @Test
    void noEvictionIsNotLogged() {
        try (RedisServer server = RedisServer.start("maxmemory 100mb", "maxmemory-policy noeviction");
                LogLines log = LogLines.ofHoldfast();
                Holdfast holdfast = Holdfast.connect(server.url())) {
            // Answered after the question for the policy, which went before on the same connection.
            holdfast.lock("any").run(lease -> {});
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void fullMemoryRefusesNewLocksButRenewsAndHandsOverHeldOnes() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(2))
                .maxWait(Eventually.LIMIT)
                .build();
        try (RedisServer server = RedisServer.start();
                RespClient admin = server.client();
                Holdfast one = Holdfast.builder(server.url()).defaults(options).build();
                Holdfast other =
                        Holdfast.builder(server.url()).defaults(options).build()) {
            Lease held = one.lock("held").acquire();
            Lease alone = one.lock("alone").acquire();
            CompletableFuture<Lease> waiter = other.lock("held").acquireAsync();
            Eventually.waiters(one.lock("held"), 1);

            admin.call("SET", "filler", "x".repeat(2_000_000));
            admin.call("CONFIG", "SET", "maxmemory", "1mb");
            long since = seconds(admin);

            assertThatThrownBy(() -> one.lock("new").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .cause()
                    .hasMessageContaining("OOM");
            Eventually.renewed(held);
            Eventually.renewed(alone);
            Eventually.holds("a long wait", () -> seconds(admin) - since > LONG_WAIT_SECONDS);
            assertThat(one.lock("held").inspect().waiters()).isEqualTo(1);
            assertThat(held.state()).isEqualTo(LeaseState.HELD);
            assertThat(alone.release()).isTrue();
            assertThat(held.release()).isTrue();

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            Eventually.renewed(next);
            assertThat(next.release()).isTrue();
            assertThat(other.lock("held").inspect().isFree()).isTrue();

            admin.call("DEL", "filler");
            admin.call("CONFIG", "SET", "maxmemory", "0");
            assertThat(one.lock("held").call(Lease::token)).isGreaterThan(next.token());
            KeyCheck.everyKeyExpires(server);
        }
    }

    private static long seconds(RespClient client) {
        return Long.parseLong(String.valueOf(client.list("TIME").get(0)));
    }
}
