package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process crashes that holds a lock and has many claims in its queue, more than one script removes. */
class CrashedWaitersIT {

    private static final int WAITERS = 100;
    /** More than one script removes. */
    private static final int READERS = 600;

    /** So many that the last counts as alive, by its polling interval, when the readers have expired. */
    private static final int WRITERS = 4;

    private static final Duration LEASE = Duration.ofSeconds(5);
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

    @Test
    void readerIsAdmittedAtOnceAfterManyReadersAndWaitingWriters() {
        try (StoreClient crashing = StoreClient.withoutTimers(RedisStore.at(server.url()))) {
            List<CompletableFuture<Optional<Grant>>> readers = IntStream.range(0, READERS)
                    .mapToObj(i ->
                            crashing.store().acquire(crashing.claim(NAME, Claim.Mode.TRY, 1, Claim.READ_WRITE, LEASE)))
                    .toList();
            readers.forEach(reader -> assertThat(Eventually.comes(reader)).isPresent());
            for (int i = 0; i < WRITERS; i++) {
                var unused = crashing.store().acquire(crashing.readWriteClaim(NAME, Claim.Mode.WAIT, Claim.READ_WRITE));
            }
            Eventually.waiters(holdfast.readWriteLock(NAME).writeLock(), WRITERS);
        }
        Eventually.holds(
                "all leases are over",
                () -> holdfast.readWriteLock(NAME).inspect().isFree());

        Optional<Lease> lease = holdfast.readWriteLock(NAME).readLock().tryAcquire();

        assertThat(lease).isPresent();
        assertThat(lease.get().release()).isTrue();
    }

    /** These waiters are not subscribed any more, and the lease of the holder has expired. */
    private void crash(int waiters) {
        try (StoreClient crashing = StoreClient.withoutTimers(RedisStore.at(server.url()))) {
            Claim holder = crashing.claim(NAME, Claim.Mode.TRY, LEASE);
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
