package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the demo shows on a database and on a file. */
class DatabaseStrategyIT {

    private static final Crowd CROWD = new Crowd(1, 600, 180, 3, 32, Duration.ofMillis(10));

    private static CountedDatabase database;

    @BeforeAll
    static void start() {
        database = CountedDatabase.start();
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    void insertLockFailsCustomers() throws Exception {
        Tally tally = CROWD.visit(Strategy.insertLock(database));

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isPositive();
    }

    @Test
    void soundLockInsideATransactionOversells() throws Exception {
        assertThat(CROWD.visit(Strategy.lateCommitUnderAdvisoryLock(database)).oversold())
                .isPositive();
    }

    @Test
    void leaseTableServesEverybodyWithFewStatements() throws Exception {
        Tally tally = CROWD.visit(Strategy.leaseTable(database));

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isZero();
        assertThat(tally.served()).isEqualTo(CROWD.customers());
        assertThat(tally.commandsPerSale()).isLessThan(6);
    }

    @Test
    void sessionLocksServeEverybody() throws Exception {
        Tally tally = CROWD.visit(Strategy.sessionLocks(database));

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isZero();
        assertThat(tally.served()).isEqualTo(CROWD.customers());
    }

    @Test
    void fileServesEverybody() throws Exception {
        try (LockFile file = LockFile.create()) {
            Tally tally = CROWD.visit(Strategy.inFile(file.path()));

            assertThat(tally.oversold()).isZero();
            assertThat(tally.failed()).isZero();
            assertThat(tally.served()).isEqualTo(CROWD.customers());
        }
    }
}
