package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerTest {

    @Test
    void linesTellAll() {
        Answer answer = new Answer(Map.of("counts", "1 2 3", "none", "", "text", "a=b"));

        assertThat(Answer.parse(answer.lines().lines().toList())).isEqualTo(answer);
        assertThat(answer.numbers("counts")).containsExactly(1, 2, 3);
        assertThat(answer.numbers("none")).isEmpty();
    }

    @Test
    void otherLinesAreSkipped() {
        assertThat(Answer.parse(List.of("a library says hello", "passes=7")).number("passes"))
                .isEqualTo(7);
    }

    @Test
    void whatWasNotToldIsNotZero() {
        assertThatThrownBy(() -> new Answer(Map.of()).number("passes")).hasMessageContaining("passes");
    }
}
