package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.benchmarks.ThreadKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskTest {

    @Test
    void tasksSurviveTheCommandLine() {
        List<Task> tasks = List.of(
                new CrowdTask(
                        Contestant.REDISSON_FAIR,
                        8,
                        1,
                        ThreadKind.VIRTUAL,
                        Inside.GET_AND_SET,
                        Duration.ofMillis(1500),
                        Duration.ofSeconds(2)),
                new HandOffTask(Contestant.HOLDFAST, 1, Path.of("board.bin"), 2_500, Duration.ofSeconds(9)),
                new HeldTask(Contestant.FLOOR, 10_000, Duration.ZERO),
                new WaitingTask(Queueing.TOGETHER, 10_000));

        for (Task task : tasks) {
            assertThat(Task.parse(task.args())).isEqualTo(task);
        }
    }

    @Test
    void unknownTaskIsRefused() {
        assertThatThrownBy(() -> Task.parse(List.of("dance"))).isInstanceOf(IllegalArgumentException.class);
    }
}
