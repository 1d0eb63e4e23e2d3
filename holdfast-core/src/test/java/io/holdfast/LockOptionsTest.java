package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockOptionsTest {

    private static final Duration TWO_SECONDS = Duration.ofSeconds(2);
    private static final Duration FIVE_SECONDS = Duration.ofSeconds(5);

    @Test
    void orderOfOptionsDoesNotMatter() {
        LockOptions one = LockOptions.builder()
                .maxHold(FIVE_SECONDS)
                .leaseTime(TWO_SECONDS)
                .build();
        LockOptions other = LockOptions.builder()
                .leaseTime(TWO_SECONDS)
                .maxHold(FIVE_SECONDS)
                .build();

        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(one.maxHold()).contains(FIVE_SECONDS);
    }

    @Test
    void optionsThatDoNotFitTogetherAreRefused() {
        LockOptions.Builder builder =
                LockOptions.builder().leaseTime(FIVE_SECONDS).holdAtLeast(Duration.ofSeconds(10));

        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("holdAtLeast must be between PT0S and leaseTime (PT5S): PT10S");
    }

    @Test
    void builderOfOptionsBeginsWithAllOfThem() {
        LockOptions options = LockOptions.builder()
                .maxWait(LockOptions.FOREVER)
                .leaseTime(TWO_SECONDS)
                .renewal(LockOptions.Renewal.OFF)
                .maxHold(FIVE_SECONDS)
                .holdAtLeast(Duration.ofSeconds(1))
                .onLoss(LockOptions.OnLoss.INTERRUPT)
                .label("guest 42")
                .build();

        assertThat(options.toBuilder().build()).isEqualTo(options);
        assertThat(options.toBuilder().label("guest 43").build()).isNotEqualTo(options);
        assertThat(LockOptions.builder().build()).isEqualTo(LockOptions.defaults());
    }
}
