package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountedMapTest {

    private final CountedMap<Object> map = new CountedMap<>(Object::new);

    @Test
    void usersOfOneNameShareOneThing() {
        assertThat(map.enter("apples")).isSameAs(map.enter("apples")).isNotSameAs(map.enter("pears"));
    }

    @Test
    void thingStaysUntilItsLastUserLeaves() {
        Object thing = map.enter("apples");
        map.enter("apples");
        map.leave("apples");

        assertThat(map.enter("apples")).isSameAs(thing);
    }

    @Test
    void nothingIsKeptOfNamesThatNobodyUses() {
        map.enter("apples");
        map.leave("apples");

        assertThat(map.size()).isZero();
    }
}
