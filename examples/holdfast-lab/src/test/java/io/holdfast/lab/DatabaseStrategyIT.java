package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the demo shows on a database, in four processes. */
class DatabaseStrategyIT {

    private static final Crowd CROWD = new Crowd(1, 600, 180, 3, 32, Duration.ofMillis(10));

    private static TemporaryFolder folder;
    private static ProcessGroup processes;
    private static CountedDatabase database;

    @BeforeAll
    static void start() {
        folder = TemporaryFolder.create();
        processes = ProcessGroup.start(folder.file("stock"));
        database = CountedDatabase.start();
    }

    @AfterAll
    static void stop() {
        database.close();
        processes.close();
        folder.close();
    }

    @Test
    void insertLockFailsCustomers() {
        Tally tally = visit("INSERT, DELETE, every 100 ms");

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isPositive();
    }

    @Test
    void soundLockInsideATransactionOversells() {
        assertThat(visit("advisory lock, commit after it").oversold()).isPositive();
    }

    @Test
    void leaseTableServesEverybodyWithFewStatements() {
        Tally tally = visit("Holdfast, jdbc:");

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isZero();
        assertThat(tally.served()).isEqualTo(CROWD.customers());
        assertThat(tally.commandsPerSale()).isLessThan(6);
    }

    @Test
    void sessionLocksServeEverybody() {
        Tally tally = visit("Holdfast, session locks");

        assertThat(tally.oversold()).isZero();
        assertThat(tally.failed()).isZero();
        assertThat(tally.served()).isEqualTo(CROWD.customers());
    }

    private static Tally visit(String strategy) {
        return processes.visit(CROWD, Strategy.named(strategy, database.url()), database.url(), database::sent);
    }
}
