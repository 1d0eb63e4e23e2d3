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
        rooms.reserve(8, "new holder");

        assertThatThrownBy(() -> rooms.reserve(7, "old holder")).isInstanceOf(StaleTokenException.class);
        assertThat(rooms.guests()).containsExactly("new holder");
    }
}
