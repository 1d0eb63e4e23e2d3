package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.StaleTokenException;
import org.junit.jupiter.api.Test;

class QuickStartTest {

    private final Rooms rooms = new Rooms(3);

    @Test
    void roomIsReservedUnderTheLock() {
        assertThat(QuickStart.reserve(rooms, "Ada")).isEqualTo(2);
        assertThat(rooms.guests()).containsExactly("Ada");
    }

    @Test
    void fenceTurnsALateWriterAway() {
        rooms.reserve("new holder", 8);

        assertThatThrownBy(() -> rooms.reserve("old holder", 7)).isInstanceOf(StaleTokenException.class);
        assertThat(rooms.guests()).containsExactly("new holder");
    }
}
