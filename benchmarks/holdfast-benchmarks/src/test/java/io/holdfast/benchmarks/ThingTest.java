package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ThingTest {

    @Test
    void counterKnowsHowManyUpdatesAreMissing() {
        Counter counter = new Counter();
        counter.change();
        counter.look();

        assertThatCode(() -> counter.check(1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> counter.check(3)).hasMessage("2 of 3 updates are lost");
    }

    @Test
    void roomKnowsWhetherThereWereTooMany() {
        Room large = new Room(1);
        Room small = new Room(0);
        large.change();
        small.look();

        assertThatCode(() -> large.check(1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> small.check(1)).hasMessageContaining("more than 0 threads");
    }
}
