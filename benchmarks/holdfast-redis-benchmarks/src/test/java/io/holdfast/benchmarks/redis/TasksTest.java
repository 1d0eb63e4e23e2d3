package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.CrowdTask;
import io.holdfast.benchmarks.kit.Task;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class TasksTest {

    @Test
    void tasksSurviveTheCommandLine() {
        List<Task> tasks = List.of(
                new CrowdTask(
                        "6379",
                        Contestant.REDISSON_FAIR,
                        8,
                        1,
                        ThreadKind.PLATFORM,
                        new GetAndSet(),
                        Duration.ofMillis(1500),
                        Duration.ofSeconds(2)),
                new HeldTask("6379", Contestant.FLOOR, 10_000, Duration.ZERO),
                new WaitingTask(6379, Queueing.TOGETHER, 10_000));

        for (Task task : tasks) {
            assertThat(Task.parse(task.text())).isEqualTo(task);
        }
    }
}
