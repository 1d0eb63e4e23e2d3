package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class OrderTest {

    @Test
    void withoutArgumentsEverythingIsMeasuredInFull() {
        assertThat(Order.parse(List.of()))
                .isEqualTo(new Order(List.of(), Effort.FULL.rounds(), Effort.FULL, Order.Look.NUMBERS));
    }

    @Test
    void roundsGoBeforeThoseOfTheEffort() {
        assertThat(Order.parse(List.of("uncontended", "--rounds", "2", "--quick", "--profile")))
                .isEqualTo(new Order(List.of("uncontended"), 2, Effort.QUICK, Order.Look.PROFILE));
    }

    @Test
    void whatCannotBeUnderstoodIsNamed() {
        assertThatThrownBy(() -> Order.parse(List.of("--fast"))).hasMessageContaining("--fast");
        assertThatThrownBy(() -> Order.parse(List.of("--rounds"))).hasMessageContaining("--rounds");
        assertThatThrownBy(() -> Order.parse(List.of("--rounds", "0"))).hasMessageContaining("0");
        assertThatThrownBy(() -> Order.parse(List.of("--rounds", "few"))).hasMessageContaining("few");
    }

    @Test
    void onlyTheWantedSectionsAreChosen() {
        List<Section> all = Bench.all(Effort.QUICK);

        assertThat(Order.parse(List.of()).choose(all)).isEqualTo(all);
        assertThat(Order.parse(List.of("hot")).choose(all))
                .extracting(Section::key)
                .containsExactly("hot");
        assertThatThrownBy(() -> Order.parse(List.of("cold")).choose(all)).hasMessageContainingAll("cold", "hot");
    }
}
