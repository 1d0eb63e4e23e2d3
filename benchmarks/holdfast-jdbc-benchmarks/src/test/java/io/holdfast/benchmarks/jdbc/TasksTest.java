package io.holdfast.benchmarks.jdbc;

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
        String address = "jdbc:postgresql://127.0.0.1/holdfast";
        Contestant contestant = Database.POSTGRESQL.with(Kind.LEASE_TABLE);
        List<Task> tasks = List.of(
                new CrowdTask(
                        address,
                        contestant,
                        8,
                        1,
                        ThreadKind.PLATFORM,
                        new DataRow.CountUp(),
                        Duration.ofMillis(1500),
                        Duration.ofSeconds(2)),
                new CountedTask(address, contestant, 300));

        for (Task task : tasks) {
            assertThat(Task.parse(task.text())).isEqualTo(task);
        }
    }
}
