package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.ManualTime;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The monotonic clock of a JVM may show any number, also a negative one, and may overflow. */
class MonotonicClockTest {

    private static final long SECOND = 1_000_000_000L;
    private static final long DAY = 86_400 * SECOND;

    /** At the last of them, the first renewal is due at the smallest number. */
    @ParameterizedTest
    @ValueSource(longs = {0, -DAY, Long.MAX_VALUE - 5 * SECOND, Long.MAX_VALUE - 3 * SECOND + 1})
    void leasesAreRenewedAndEndInTimeWhateverTheClockShows(long start) {
        try (TwoProcesses processes = new TwoProcesses(new ManualTime(start))) {
            Lease lasting = processes.here.lock("lasting").acquire();
            processes.time.pass(Duration.ofSeconds(4));
            assertThat(processes.store.renewals)
                    .as("renewals of the first lease")
                    .hasValue(1);
            Lease brief = processes
                    .here
                    .lock(
                            "brief",
                            LockOptions.builder()
                                    .leaseTime(Duration.ofSeconds(1))
                                    .build())
                    .acquire();
            Lease limited = processes
                    .here
                    .lock(
                            "limited",
                            LockOptions.builder()
                                    .maxHold(Duration.ofSeconds(12))
                                    .build())
                    .acquire();

            processes.time.pass(Duration.ofMillis(11_999));
            assertThat(List.of(lasting, brief, limited)).allMatch(lease -> lease.state() == LeaseState.HELD);
            assertThat(List.of("lasting", "brief", "limited"))
                    .as("names that the store keeps")
                    .allMatch(name -> processes.there.lock(name).tryAcquire().isEmpty());
            processes.time.pass(Duration.ofMillis(1));
            assertThat(limited.state()).isEqualTo(LeaseState.LOST);
            processes.store.down = true;
            processes.time.pass(Duration.ofSeconds(10));

            assertThat(List.of(lasting, brief)).allMatch(lease -> lease.state() == LeaseState.LOST);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -DAY, Long.MAX_VALUE - 5 * SECOND, Long.MAX_VALUE - 2 * SECOND})
    void leaseIsShortenedWhateverTheClockShows(long start) {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(3))
                .build();
        try (TwoProcesses processes = new TwoProcesses(new ManualTime(start))) {
            processes.here.lock("a", options).run(lease -> {});
            // As if the process had ended.
            processes.store.down = true;

            processes.time.pass(Duration.ofMillis(2_900));
            assertThat(processes.there.lock("a").tryAcquire()).isEmpty();
            processes.time.pass(Duration.ofMillis(200));
            assertThat(processes.there.lock("a").tryAcquire()).isPresent();
        }
    }
}
