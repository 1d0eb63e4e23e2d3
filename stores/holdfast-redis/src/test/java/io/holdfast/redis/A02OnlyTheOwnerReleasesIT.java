package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Anyone can delete the lock: B frees A's lock, and C walks in beside A. */
class A02OnlyTheOwnerReleasesIT {

    private static final Duration LEASE = Duration.ofMinutes(1);

    @Test
    void naiveReleaseByAClientThatNeverHeldItAdmitsTheNextOne() throws Exception {
        try (RedisServer server = RedisServer.start();
                NaiveClient client = new NaiveClient(server.url());
                Holdfast a = Holdfast.connect(server.url());
                Holdfast c = Holdfast.connect(server.url());
                StoreClient b = new StoreClient(RedisStore.at(server.url()))) {
            NaiveIncrLock naive = new NaiveIncrLock(client.redis());
            assertThat(naive.tryAcquire("naive", LEASE)).as("A enters").isTrue();
            assertThat(naive.tryAcquire("naive", LEASE)).as("B does not").isFalse();
            naive.release("naive");
            assertThat(naive.tryAcquire("naive", LEASE))
                    .as("C walks in beside A")
                    .isTrue();

            Lease lease = a.lock("apples").acquire();
            Claim claim = b.claim("apples", Claim.Mode.TRY);
            assertThat(b.store().acquire(claim).get(10, TimeUnit.SECONDS))
                    .as("B does not")
                    .isEmpty();
            assertThat(b.store().release(claim).get(10, TimeUnit.SECONDS)).isFalse();
            assertThat(c.lock("apples").tryAcquire()).as("C does not walk in").isEmpty();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.release()).isTrue();
        }
    }
}
