package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lease expires while A still works; A's {@code finally} then releases B's lock. */
class A03LeaseLostIT {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(1);

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
    void naiveReleaseFreesTheNextHoldersLockAndOursDoesNot(StoreKind kind) {
        try (Sql sql = servers.sql(kind)) {
            NaiveTableLock naive = new NaiveTableLock(sql);
            String name = "naive-" + kind;
            assertThat(naive.tryAcquire(name, SHORT)).as("A enters").isTrue();
            Eventually.holds("A's lease is over, and B enters", () -> naive.tryAcquire(name, LONG));
            naive.release(name);
            assertThat(naive.tryAcquire(name, LONG)).as("C walks in beside B").isTrue();
        }
        try (Holdfast first = servers.connect(kind);
                Holdfast second = servers.connect(kind)) {
            LockOptions options = LockOptions.builder()
                    .leaseTime(SHORT)
                    .renewal(LockOptions.Renewal.OFF)
                    .build();
            Lease a = first.lock("apples", options).acquire();
            CompletableFuture<Boolean> notified = new CompletableFuture<>();
            a.onLost(() -> notified.complete(true));
            Lease b = second.lock("apples").acquire(Eventually.LIMIT);
            assertThat(Eventually.comes(notified)).isTrue();
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
