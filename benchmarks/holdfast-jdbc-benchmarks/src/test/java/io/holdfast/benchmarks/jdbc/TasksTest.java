package io.holdfast.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.CrowdTask;
import io.holdfast.benchmarks.kit.Task;
import io.holdfast.benchmarks.kit.ThreadKind;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TasksTest {

    @Test
    void tasksSurviveTheCommandLine() {
        Task task = new CrowdTask(
                "jdbc:postgresql://127.0.0.1/holdfast",
                Database.POSTGRESQL.with(Kind.LEASE_TABLE),
                8,
                1,
                ThreadKind.PLATFORM,
                new DataRow.CountUp(),
                Duration.ofMillis(1500),
                Duration.ofSeconds(2));

        assertThat(Task.parse(task.text())).isEqualTo(task);
    }
}
