package io.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationTextTest {

    @Test
    void durationsAreShownInTheUnitThatPeopleWouldUse() {
        assertThat(DurationText.of(Duration.ofNanos(-5))).isEqualTo("0 ms");
        assertThat(DurationText.of(Duration.ZERO)).isEqualTo("0 ms");
        assertThat(DurationText.of(Duration.ofNanos(1_240_000))).isEqualTo("1.2 ms");
        assertThat(DurationText.of(Duration.ofMillis(350))).isEqualTo("350 ms");
        assertThat(DurationText.of(Duration.ofNanos(999_700_000))).isEqualTo("1.0 s");
        assertThat(DurationText.of(Duration.ofNanos(7_728_123_456L))).isEqualTo("7.7 s");
        assertThat(DurationText.of(Duration.ofMillis(59_990))).isEqualTo("1 min");
        assertThat(DurationText.of(Duration.ofSeconds(125))).isEqualTo("2 min 5 s");
        assertThat(DurationText.of(Duration.ofMinutes(63))).isEqualTo("1 h 3 min");
        assertThat(DurationText.of(Duration.ofHours(52))).isEqualTo("2 d 4 h");
        assertThat(DurationText.of(Duration.ofDays(365_000_000))).isEqualTo("365000000 d");
    }
}
