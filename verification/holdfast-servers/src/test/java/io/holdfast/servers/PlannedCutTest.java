package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PlannedCutTest {

    @Test
    void patternIsFoundAnywhereInTheNewBytes() {
        assertThat(claims("EVAL", "", "*3 EVAL x")).isTrue();
        assertThat(claims("EVAL", "", "EVAL")).isTrue();
        assertThat(claims("EVAL", "", "eval EVA")).isFalse();
    }

    @Test
    void patternIsFoundAcrossPieces() {
        assertThat(claims("EVAL", "*3 EV", "AL x")).isTrue();
        assertThat(claims("EVAL", "V", "AL x")).isFalse();
    }

    @Test
    void patternThatWasThereBeforeDoesNotCount() {
        assertThat(claims("EVAL", "EVAL", " x")).isFalse();
    }

    @Test
    void cutIsMadeOnce() {
        PlannedCut cut = new PlannedCut(PlannedCut.Loss.REPLY, "a");
        assertThat(cut.claim(bytes(""), bytes("a"))).isTrue();
        assertThat(cut.claim(bytes(""), bytes("a"))).isFalse();
        assertThat(cut.happened()).isFalse();
        assertThatThrownBy(() -> cut.await(Duration.ofMillis(1))).isInstanceOf(ServerException.class);

        cut.done();

        assertThat(cut.happened()).isTrue();
    }

    @Test
    void patternHasALongestLength() {
        String tooLong = "x".repeat(PlannedCut.LONGEST_PATTERN + 1);
        assertThatThrownBy(() -> new PlannedCut(PlannedCut.Loss.REPLY, tooLong))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static boolean claims(String pattern, String before, String bytes) {
        return new PlannedCut(PlannedCut.Loss.REQUEST, pattern).claim(bytes(before), bytes(bytes));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
