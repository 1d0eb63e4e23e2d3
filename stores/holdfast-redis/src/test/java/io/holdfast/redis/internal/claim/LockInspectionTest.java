package io.holdfast.redis.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.support.OwnerFormat;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockInspectionTest {

    private static final Owner OWNER = new Owner("web-7", 812, "orders", "guest 42");
    private static final String ENTRY =
            "51aa-9 1 64 10000000 1763216008000000 1763216005000000 p:holdfast:wake:51aa " + OwnerFormat.of(OWNER);

    @Test
    void waitingTimeCountsFromTheArrivalOnTheClockOfTheServer() {
        LockInfo.Waiting waiting = LockInspection.waiting(ENTRY, 1_763_216_007_250_000L);

        assertThat(waiting.owner()).isEqualTo(OWNER);
        assertThat(waiting.waited()).isEqualTo(Duration.ofMillis(2_250));
    }

    @Test
    void waitingTimeIsNotNegativeIfTheClockOfTheServerWasSetBack() {
        assertThat(LockInspection.waiting(ENTRY, 1_763_216_004_000_000L).waited())
                .isZero();
    }
}
