package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LookingTest {

    @Test
    void holderIsFoundAndItsLockCanBeBroken() {
        try (Holdfast holdfast = Holdfast.builder("memory:").label("orders").build()) {
            DistributedLock lock = holdfast.lock("hotel:42");
            Lease lease = lock.acquire();

            assertThat(Looking.heldFor(holdfast, Duration.ZERO))
                    .singleElement()
                    .asString()
                    .contains("hotel:42 is held by orders@", "token " + lease.token());
            assertThat(Looking.heldFor(holdfast, Duration.ofHours(1))).isEmpty();
            assertThat(Looking.breakLock(lock)).isTrue();

            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            assertThat(Looking.breakLock(lock)).isFalse();
        }
    }
}
