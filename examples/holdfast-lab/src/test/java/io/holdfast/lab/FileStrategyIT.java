package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the demo shows with a file, in four processes. */
class FileStrategyIT {

    private static TemporaryFolder folder;
    private static ProcessGroup processes;

    @BeforeAll
    static void start() {
        folder = TemporaryFolder.create();
        processes = ProcessGroup.start(folder.file("stock"));
    }

    @AfterAll
    static void stop() {
        processes.close();
        folder.close();
    }

    /** With one customer at a time in each process, only customers of different processes can meet. */
    @Test
    void processesWithoutAGuardOversell() {
        Crowd oneInEachProcess = new Crowd(1, 600, 180, 3, 4, Duration.ofMillis(10));

        assertThat(visit("no guard", oneInEachProcess).oversold()).isPositive();
    }

    @Test
    void fileLockSellsEveryAppleOnceAndFailsNobody() {
        Crowd crowd = new Crowd(1, 120, 80, 3, 16, Duration.ofMillis(1));

        Tally tally = visit("Holdfast, file:", crowd);

        assertThat(tally.failed()).isZero();
        assertThat(tally.oversold()).isZero();
        assertThat(tally.served()).isEqualTo(40);
        assertThat(tally.left()).isZero();
    }

    @Test
    void closingTheGroupEndsItsProcesses() {
        ProcessGroup group = ProcessGroup.start(folder.file("another-stock"));
        assertThat(group.processes()).hasSize(4).allMatch(ProcessHandle::isAlive);

        group.close();

        assertThat(group.processes()).noneMatch(ProcessHandle::isAlive);
    }

    private static Tally visit(String strategy, Crowd crowd) {
        String url = "file:" + folder.file("locks.db");
        return processes.visit(crowd, Strategy.named(strategy, url), url, () -> 0);
    }
}
