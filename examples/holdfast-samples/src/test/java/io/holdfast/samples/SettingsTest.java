package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

class SettingsTest {

    @Test
    void optionsAreWhatWasAskedFor() {
        assertThat(Settings.nightly().leaseTime()).isEqualTo(Duration.ofSeconds(30));
        assertThat(Settings.nightly().maxHold()).contains(Duration.ofMinutes(10));
    }

    @Test
    void listenerCountsLostLeases() {
        LongAdder lost = new LongAdder();
        try (Holdfast holdfast = Settings.open(Runnable::run, lost)) {
            DistributedLock lock = holdfast.lock("hotel:42");
            Lease lease = lock.acquire();
            assertThat(lock.options().maxWait()).isEqualTo(Duration.ofSeconds(5));

            assertThat(lock.forceRelease(lease.token())).isTrue();

            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            // A listener has a thread of its own.
            assertThat(comes(lost)).isEqualTo(1);
        }
    }

    private static long comes(LongAdder count) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (count.sum() == 0 && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        return count.sum();
    }
}
