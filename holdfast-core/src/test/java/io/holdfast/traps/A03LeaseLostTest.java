package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The lease ends while A still works; A's {@code finally} then frees B's lock. */
class A03LeaseLostTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime();

    /** A key with an expiry, and a release that deletes the key. */
    private final class NaiveLock {
        private final Map<String, Long> endsAt = new HashMap<>();

        boolean tryLock(String key) {
            Long end = endsAt.get(key);
            if (end != null && end > time.nanos()) {
                return false;
            }
            endsAt.put(key, time.nanos() + LEASE.toNanos());
            return true;
        }

        void unlock(String key) {
            endsAt.remove(key);
        }
    }

    @Test
    void naiveReleaseFreesTheNextHoldersLock() {
        NaiveLock lock = new NaiveLock();
        assertThat(lock.tryLock("apples")).as("A enters").isTrue();
        time.pass(LEASE.plusSeconds(1));
        assertThat(lock.tryLock("apples")).as("B enters after A's lease").isTrue();

        lock.unlock("apples");

        assertThat(lock.tryLock("apples")).as("C walks in beside B").isTrue();
    }

    @Test
    void lostHolderIsToldAndItsReleaseTouchesNobody() {
        LockOptions options = LockOptions.builder()
                .leaseTime(LEASE)
                .renewal(LockOptions.Renewal.OFF)
                .build();
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .environment(time.environment())
                .defaults(options)
                .build()) {
            DistributedLock lock = holdfast.lock("apples");
            Lease a = lock.acquire();
            boolean[] told = {false};
            a.onLost(() -> told[0] = true);
            time.pass(LEASE.plusSeconds(1));
            Lease b = lock.acquire();

            assertThat(told[0]).isTrue();
            assertThat(a.state()).isEqualTo(LeaseState.LOST);
            assertThatThrownBy(a::ensureHeld).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(a::close)
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("apples")
                    .hasMessageContaining("renewal is off");
            assertThat(b.state()).isEqualTo(LeaseState.HELD);
            assertThat(lock.tryAcquire()).as("C does not walk in beside B").isEmpty();
            b.close();
        }
    }
}
