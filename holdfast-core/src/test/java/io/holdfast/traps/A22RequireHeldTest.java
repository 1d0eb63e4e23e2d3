package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Another method changes the same stock without the lock. */
class A22RequireHeldTest {

    private static final class Stock {
        private int apples = 5;

        int read() {
            return apples;
        }

        void write(int left) {
            apples = left;
        }
    }

    @Test
    void naiveMethodOverwritesWhatTheLockGuards() {
        Stock stock = new Stock();
        int seenUnderTheLock = stock.read();
        stock.write(stock.read() + 10); // a delivery, by a method that knows nothing of the lock
        stock.write(seenUnderTheLock - 3);

        assertThat(stock.read()).as("the delivery of 10 is gone").isEqualTo(2);
    }

    @Test
    void methodThatRequiresTheLockRefusesWithoutIt() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");

            assertThatThrownBy(lock::requireHeld)
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining("apples");
            lock.run(lease -> {
                assertThat(lock.requireHeld().token()).isEqualTo(lease.token());
                assertThat(holdfast.lock("apples").requireHeld().token()).isEqualTo(lease.token());
                assertThat(elsewhere(lock)).isInstanceOf(IllegalMonitorStateException.class);
            });
            try (Lease lease = lock.acquire()) {
                assertThat(lock.requireHeld().token()).isEqualTo(lease.token());
            }
            assertThatThrownBy(lock::requireHeld).isInstanceOf(IllegalMonitorStateException.class);
        }
    }

    @Test
    void permitOfASemaphoreDoesNotCount() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            try (Lease permit = holdfast.semaphore("apples", 5).acquire()) {
                assertThat(permit.state()).isEqualTo(LeaseState.HELD);
                assertThatThrownBy(holdfast.lock("apples")::requireHeld)
                        .isInstanceOf(IllegalMonitorStateException.class);
                assertThatThrownBy(holdfast.readWriteLock("apples").writeLock()::requireHeld)
                        .isInstanceOf(IllegalMonitorStateException.class);
                assertThatThrownBy(holdfast.readWriteLock("apples").readLock()::requireHeld)
                        .isInstanceOf(IllegalMonitorStateException.class);
            }
            holdfast.semaphore("apples", 5)
                    .run(permit -> assertThatThrownBy(holdfast.lock("apples")::requireHeld)
                            .isInstanceOf(IllegalMonitorStateException.class));
        }
    }

    @Test
    void lostLeaseDoesNotCount() {
        ManualTime time = new ManualTime();
        LockOptions brief =
                LockOptions.builder().renewal(LockOptions.Renewal.OFF).build();
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .environment(time.environment())
                .defaults(brief)
                .build()) {
            DistributedLock lock = holdfast.lock("apples");

            assertThatThrownBy(() -> lock.run(lease -> {
                        time.pass(Duration.ofSeconds(11));
                        lock.requireHeld();
                    }))
                    .isInstanceOf(LeaseLostException.class);
        }
    }

    private static Throwable elsewhere(DistributedLock lock) throws Exception {
        return CompletableFuture.supplyAsync(lock::requireHeld)
                .handle((lease, failure) -> failure.getCause())
                .get(10, TimeUnit.SECONDS);
    }
}
