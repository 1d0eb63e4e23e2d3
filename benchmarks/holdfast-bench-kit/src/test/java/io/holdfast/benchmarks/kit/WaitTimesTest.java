package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitTimesTest {

    private final WaitTimes waits = new WaitTimes();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 8, 9, 15, 16, 1_000, 123_456_789, Long.MAX_VALUE})
    void bucketIsAtMostAnEighthBelowTheWait(long nanos) {
        waits.record(nanos);

        assertThat(waits.quantile(0.5).toNanos()).isBetween(nanos - nanos / 8, nanos);
    }

    @Test
    void quantilesCountAllThatWereAdded() {
        WaitTimes others = new WaitTimes();
        for (int i = 0; i < 98; i++) {
            waits.record(4);
        }
        others.record(64);
        others.record(1024);
        waits.add(others);

        assertThat(waits.quantile(0.5)).isEqualTo(Duration.ofNanos(4));
        assertThat(waits.quantile(0.99)).isEqualTo(Duration.ofNanos(64));
        assertThat(waits.quantile(1)).isEqualTo(Duration.ofNanos(1024));
    }

    @Test
    void withoutWaitsAllQuantilesAreZero() {
        assertThat(waits.quantile(0.99)).isEqualTo(Duration.ZERO);
    }

    @Test
    void lineTellsAll() {
        waits.record(4);
        waits.record(1024);
        waits.record(1024);

        WaitTimes parsed = WaitTimes.parse(waits.line());

        assertThat(parsed.quantile(0.3)).isEqualTo(Duration.ofNanos(4));
        assertThat(parsed.quantile(0.6)).isEqualTo(Duration.ofNanos(1024));
        assertThat(parsed.line()).isEqualTo(waits.line());
    }
}
