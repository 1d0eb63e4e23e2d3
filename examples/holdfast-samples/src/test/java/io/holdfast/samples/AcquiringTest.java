package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AcquiringTest {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final DistributedLock lock = holdfast.lock("hotel:42");
    private final Rooms rooms = new Rooms(3);
    private final Acquiring sample = new Acquiring(lock, rooms);

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void everyWayReservesARoomAndGivesTheLockBack() throws Exception {
        sample.waitForIt("Ada");
        assertThat(sample.tryOnce("Grace")).isTrue();
        assertThat(sample.call("Edsger")).isZero();
        assertThat(sample.later("Tony").get(20, TimeUnit.SECONDS)).isTrue();

        assertThat(rooms.guests()).containsExactly("Ada", "Grace", "Edsger", "Tony");
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void attemptOnAHeldLockIsAnAnswer() {
        AtomicInteger runs = new AtomicInteger();
        try (Lease held = lock.acquire()) {
            assertThat(sample.tryOnce("Ada")).isFalse();
            assertThat(sample.unlessBusy(runs::incrementAndGet)).isFalse();
            assertThat(held.state()).isEqualTo(LeaseState.HELD);
        }

        assertThat(sample.unlessBusy(runs::incrementAndGet)).isTrue();
        assertThat(runs).hasValue(1);
        assertThat(rooms.guests()).isEmpty();
    }

    @Test
    void futureGivesTheLockBackWhenTheBodyFails() {
        rooms.reserve(Long.MAX_VALUE, "from the future");

        CompletableFuture<Boolean> failing = sample.later("Ada");

        assertThat(failing).failsWithin(Duration.ofSeconds(20)).withThrowableOfType(ExecutionException.class);
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void classicLockIsReentrant() {
        int free = lock.call(lease -> sample.classic());

        assertThat(free).isEqualTo(3);
        assertThat(lock.inspect().isFree()).isTrue();
    }
}
