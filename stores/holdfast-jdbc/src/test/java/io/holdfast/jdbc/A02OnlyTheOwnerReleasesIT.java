package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every client can delete the row: B releases A's lock, and C acquires it while A still holds it. */
class A02OnlyTheOwnerReleasesIT {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @EnumSource
    void naiveReleaseOfOneWhoNeverHeldItLetsTheNextIn(StoreKind kind) {
        try (Sql sql = servers.sql(kind)) {
            NaiveTableLock naive = new NaiveTableLock(sql);
            String name = "naive-" + kind;
            assertThat(naive.tryAcquire(name, LEASE)).as("A enters").isTrue();
            assertThat(naive.tryAcquire(name, LEASE)).as("B does not").isFalse();
            naive.release(name);
            assertThat(naive.tryAcquire(name, LEASE)).as("C walks in beside A").isTrue();
        }
        try (Holdfast a = servers.connect(kind);
                Holdfast c = servers.connect(kind);
                StoreClient b = new StoreClient(kind.store(servers.url(kind)))) {
            Lease lease = a.lock("apples").acquire();
            Claim claim = b.claim("apples", Claim.Mode.TRY);
            assertThat(Eventually.comes(b.store().acquire(claim)))
                    .as("B does not")
                    .isEmpty();
            assertThat(Eventually.comes(b.store().release(claim))).isFalse();
            assertThat(c.lock("apples").tryAcquire()).as("C does not walk in").isEmpty();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.release()).isTrue();
        }
    }
}
