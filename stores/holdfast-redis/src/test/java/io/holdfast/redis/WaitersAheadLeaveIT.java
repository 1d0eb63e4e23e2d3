package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiters in front are cancelled, and then the holder dies: a waiter far back, which polls rarely, is the first now. */
class WaitersAheadLeaveIT {

    private static final Duration LEASE = Duration.ofSeconds(3);

    /** So many that the next waiter polls every 30 s, which is the longest interval there is. */
    private static final int IN_FRONT = 29;

    /** Generous, and less than that interval. */
    private static final Duration BEFORE_THE_NEXT_POLL = Duration.ofSeconds(20);

    @Test
    void waiterBehindDeadOnesPollsAfterTheExpiryOfTheLease() throws Exception {
        try (RedisServer server = RedisServer.start();
                StoreClient client = new StoreClient(RedisStore.at(server.url()));
                Holdfast holdfast = Holdfast.connect(server.url())) {
            List<Claim> inFront = new ArrayList<>();
            Claim holder = client.claim("apples", Claim.Mode.TRY, LEASE);
            assertThat(client.store().acquire(holder).get(10, TimeUnit.SECONDS)).isPresent();
            long held = System.nanoTime();
            for (int i = 0; i < IN_FRONT; i++) {
                Claim claim = client.claim("apples", Claim.Mode.WAIT);
                inFront.add(claim);
                var unused = client.store().acquire(claim);
            }
            Eventually.holds(
                    "they wait", () -> holdfast.lock("apples").inspect().waiters() == IN_FRONT);
            CompletableFuture<Lease> last = Waiters.queue(holdfast.lock("apples"));
            for (Claim claim : inFront) {
                assertThat(client.store().release(claim).get(10, TimeUnit.SECONDS))
                        .isFalse();
            }

            Lease lease = last.get(BEFORE_THE_NEXT_POLL.toSeconds(), TimeUnit.SECONDS);

            Eventually.figure("moved up, holder dead, end of its lease to grant", held + LEASE.toNanos());
            assertThat(lease.release()).isTrue();
        }
    }
}
