package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process crashes that holds a lock and has many claims in its queue, more than one script removes. */
class CrashedWaitersIT {

    private static final int WAITERS = 100;
    private static final String NAME = "apples";

    private RedisServer server;
    private Holdfast holdfast;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        holdfast = Holdfast.connect(server.url());
    }

    @AfterEach
    void stop() {
        KeyCheck.everyKeyExpires(server);
        holdfast.close();
        server.close();
    }

    @Test
    void attemptIsGrantedAtOnce() {
        crash(WAITERS);

        Optional<Lease> lease = holdfast.lock(NAME).tryAcquire();

        assertThat(lease).isPresent();
        assertThat(lease.get().release()).isTrue();
    }

    @Test
    void nameMayBeOfAnotherKindAtOnce() {
        crash(WAITERS);

        Optional<Lease> lease = holdfast.semaphore(NAME, 3).tryAcquire();

        assertThat(lease).isPresent();
        assertThat(lease.get().release()).isTrue();
    }

    @Test
    void nameMayBeOfAnotherKindAtOnceBehindFewWaiters() {
        crash(2);

        Optional<Lease> lease = holdfast.semaphore(NAME, 3).tryAcquire();

        assertThat(lease).isPresent();
        assertThat(lease.get().release()).isTrue();
    }

    /** Nobody listens to the channel of these waiters any more, and the lease of the holder has expired. */
    private void crash(int waiters) {
        try (StoreClient crashing = StoreClient.withoutTimers(RedisStore.at(server.url())::open)) {
            Claim holder = crashing.claim(NAME, Claim.Mode.TRY, Duration.ofSeconds(2));
            assertThat(crashing.acquires(holder)).isTrue();
            IntStream.range(0, waiters)
                    .mapToObj(i -> crashing.claim(NAME, Claim.Mode.WAIT))
                    .forEach(claim -> {
                        var unused = crashing.store().acquire(claim);
                    });
            Eventually.waiters(holdfast.lock(NAME), waiters);
        }
        Eventually.holds(
                "the lease is over", () -> holdfast.lock(NAME).inspect().isFree());
    }
}
