package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the demo shows inside one process. */
class StrategyTest {

    private static final Crowd CROWD = new Crowd(5, 300, 200, 3, 32, Duration.ofNanos(200_000));

    @Test
    void holdfastSellsEveryAppleOnceAndFailsNobody() throws Exception {
        Tally tally = CROWD.visit(Strategy.HOLDFAST);

        assertThat(tally.oversold()).isZero();
        assertThat(tally.sold()).isEqualTo(tally.start());
        assertThat(tally.left()).isZero();
        assertThat(tally.failed()).isZero();
    }

    @Test
    void unguardedStockIsOversold() throws Exception {
        assertThat(CROWD.visit(Strategy.UNGUARDED).oversold()).isPositive();
    }

    @Test
    void stockIsOversoldWhenTheCommitComesAfterTheSynchronizedBlock() throws Exception {
        assertThat(CROWD.visit(Strategy.LATE_COMMIT).oversold()).isPositive();
    }

    @Test
    void homeMadeLockFailsCustomersWhoWereReadyToWait() throws Exception {
        Tally tally = CROWD.visit(Strategy.LOCK_PER_KEY);

        assertThat(tally.failed()).isPositive();
        assertThat(tally.left())
                .as("apples that the failed customers could have had")
                .isPositive();
    }
}
