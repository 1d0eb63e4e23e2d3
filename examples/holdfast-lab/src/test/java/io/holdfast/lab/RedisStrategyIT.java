package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the demo shows on Redis, in four processes. */
class RedisStrategyIT {

    private static final Crowd CROWD = new Crowd(1, 600, 180, 3, 32, Duration.ofMillis(10));

    private static TemporaryFolder folder;
    private static ProcessGroup processes;
    private static RedisServer server;

    @BeforeAll
    static void start() {
        folder = TemporaryFolder.create();
        processes = ProcessGroup.start(folder.file("stock"));
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
        processes.close();
        folder.close();
    }

    @Test
    void incrLockFailsCustomersAndOversellsBecauseTheyReleaseTheLockOfOthers() {
        Tally tally = visit("INCR, EXPIRE, DEL");

        assertThat(tally.failed()).isPositive();
        assertThat(tally.oversold()).isPositive();
    }

    @Test
    void spinLockFailsCustomersAndSendsManyCommands() {
        Tally tally = visit("SET NX PX, every 100 ms");

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isPositive();
        assertThat(tally.commandsPerSale()).isGreaterThan(4);
    }

    @Test
    void holdfastServesEverybodyWithFewCommands() {
        Tally tally = visit("Holdfast, redis:");

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isZero();
        assertThat(tally.served()).isEqualTo(CROWD.customers());
        assertThat(tally.commandsPerSale()).isLessThan(4);
    }

    private static Tally visit(String strategy) {
        return processes.visit(CROWD, Strategy.named(strategy, server.url()), server.url(), () -> 0);
    }
}
