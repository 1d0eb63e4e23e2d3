package io.holdfast.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GuardingTest {

    private static final LockOptions SHORT = LockOptions.builder()
            .leaseTime(Duration.ofMillis(200))
            .renewal(LockOptions.Renewal.OFF)
            .build();

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final Rooms rooms = new Rooms(3);

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void stepsAreTakenWhileTheLeaseIsHeld() {
        new Guarding(holdfast.lock("hotel:42"), rooms).stepByStep(List.of("Ada", "Grace"));

        assertThat(rooms.guests()).containsExactly("Ada", "Grace");
    }

    @Test
    void callbackStopsTheWorkOfALostLease() {
        Guarding sample = new Guarding(holdfast.lock("hotel:42", SHORT), rooms);

        assertThatThrownBy(() -> sample.untilLost(Thread::onSpinWait)).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void bodyThatOutlivesItsLeaseIsInterrupted() {
        assertThatThrownBy(() -> Guarding.bounded(holdfast, new CountDownLatch(1)::await))
                .isInstanceOf(LeaseLostException.class)
                .satisfies(lost ->
                        assertThat(lost.getSuppressed()).hasAtLeastOneElementOfType(InterruptedException.class));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void methodThatNeedsTheLockRefusesToRunWithoutIt() {
        DistributedLock lock = holdfast.lock("hotel:42");
        Guarding sample = new Guarding(lock, rooms);

        assertThatThrownBy(() -> sample.reserve("Ada")).isInstanceOf(IllegalMonitorStateException.class);
        lock.run(lease -> sample.reserve("Grace"));

        assertThat(rooms.guests()).containsExactly("Grace");
    }
}
