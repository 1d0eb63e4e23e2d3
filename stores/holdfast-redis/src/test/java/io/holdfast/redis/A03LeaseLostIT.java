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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The lease ends while A still works; A's {@code finally} then frees B's lock. */
class A03LeaseLostIT {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void naiveReleaseFreesTheNextHoldersLockAndThatOfHoldfastDoesNot() throws Exception {
        try (RedisServer server = RedisServer.start();
                NaiveClient client = new NaiveClient(server.url());
                Holdfast first = Holdfast.connect(server.url());
                Holdfast second = Holdfast.connect(server.url())) {
            NaiveIncrLock naive = new NaiveIncrLock(client.redis());
            assertThat(naive.tryAcquire("naive", SHORT)).as("A enters").isTrue();
            Eventually.holds("A's lease is over", () -> client.redis().exists("naive") == 0);
            assertThat(naive.tryAcquire("naive", LONG)).as("B enters").isTrue();
            naive.release("naive");
            assertThat(naive.tryAcquire("naive", LONG))
                    .as("C walks in beside B")
                    .isTrue();

            LockOptions options = LockOptions.builder()
                    .leaseTime(SHORT)
                    .renewal(LockOptions.Renewal.OFF)
                    .build();
            Lease a = first.lock("apples", options).acquire();
            CompletableFuture<Void> notified = new CompletableFuture<>();
            a.onLost(() -> notified.complete(null));
            Lease b = second.lock("apples").acquire(Eventually.LIMIT);
            notified.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(a.state()).isEqualTo(LeaseState.LOST);
            assertThatThrownBy(a::close).isInstanceOf(LeaseLostException.class);
            assertThat(first.lock("apples").tryAcquire())
                    .as("C does not walk in")
                    .isEmpty();
            assertThat(b.state()).isEqualTo(LeaseState.HELD);
            assertThat(b.token()).isGreaterThan(a.token());
            assertThat(b.release()).isTrue();
        }
    }
}
