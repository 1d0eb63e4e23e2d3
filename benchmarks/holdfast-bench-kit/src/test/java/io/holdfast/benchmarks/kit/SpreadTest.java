package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SpreadTest {

    @Test
    void medianIsTheMiddleValue() {
        assertThat(Spread.of(9, 1, 4)).isEqualTo(new Spread(4, 1, 9));
    }

    @Test
    void medianOfAnEvenNumberLiesBetweenTheMiddleValues() {
        assertThat(Spread.of(9, 1, 4, 2)).isEqualTo(new Spread(3, 1, 9));
    }

    @Test
    void nothingHasNoSpread() {
        assertThatThrownBy(Spread::of).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void variationIsTheDeviationInMeans() {
        assertThat(Spread.variation(5, 5, 5)).isZero();
        assertThat(Spread.variation(0, 10)).isEqualTo(1);
        assertThat(Spread.variation(0, 0)).isNaN();
    }
}
