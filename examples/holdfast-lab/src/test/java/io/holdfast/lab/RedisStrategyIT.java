package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the demo shows on Redis. */
class RedisStrategyIT {

    private static final Crowd CROWD = new Crowd(1, 600, 180, 3, 32, Duration.ofMillis(10));

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void incrLockFailsCustomersAndOversellsBecauseTheyFreeTheLockOfOthers() throws Exception {
        Tally tally = CROWD.visit(Strategy.incrLock(server.url()));

        assertThat(tally.failed()).isPositive();
        assertThat(tally.oversold()).isPositive();
    }

    @Test
    void spinLockFailsCustomersAndSendsManyCommands() throws Exception {
        Tally tally = CROWD.visit(Strategy.spinLock(server.url()));

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isPositive();
        assertThat(tally.commandsPerSale()).isGreaterThan(4);
    }

    @Test
    void holdfastServesEverybodyWithFewCommands() throws Exception {
        Tally tally = CROWD.visit(Strategy.holdfast(server.url()));

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isZero();
        assertThat(tally.served()).isEqualTo(CROWD.customers());
        assertThat(tally.commandsPerSale()).isLessThan(4);
    }
}
