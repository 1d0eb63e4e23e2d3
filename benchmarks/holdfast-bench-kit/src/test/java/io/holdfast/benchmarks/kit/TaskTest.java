package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskTest {

    @Test
    void tasksSurviveTheCommandLine() {
        List<Task> tasks = List.of(
                new CrowdTask(
                        "6379",
                        Somebody.ELSE,
                        8,
                        1,
                        ThreadKind.VIRTUAL,
                        Inside.NOTHING,
                        Duration.ofMillis(1500),
                        Duration.ofSeconds(2)),
                new HandOffTask("6379", Somebody.ELSE, 1, "board.bin", 2_500, Duration.ofSeconds(9)));

        for (Task task : tasks) {
            assertThat(Task.parse(task.text())).isEqualTo(task);
        }
    }

    @Test
    void unknownTaskIsRefused() {
        assertThatThrownBy(() -> Task.parse("dance")).isInstanceOf(IllegalArgumentException.class);
    }
}
