package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Doubling back-off sleeps through the release. */
class A04WokenByTheReleaseTest {

    private static final Duration HELD_FOR = Duration.ofMillis(3_160);
    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    private final ManualTime time = new ManualTime();

    /** Tries, sleeps twice as long, tries again; returns when it got the lock, or -1. */
    private long naiveWait(BooleanSupplier tryLock) {
        long start = time.nanos();
        long elapsed = 0;
        long sleep = 50;
        while (elapsed < MAX_WAIT.toMillis()) {
            if (tryLock.getAsBoolean()) {
                return (time.nanos() - start) / 1_000_000;
            }
            time.pass(Duration.ofMillis(sleep));
            elapsed += sleep;
            sleep = Math.min(sleep * 2, MAX_WAIT.toMillis() - elapsed + 1);
        }
        return -1;
    }

    @Test
    void naiveWaiterIsAsleepWhenTheLockIsFreed() {
        long freeAt = time.nanos() + HELD_FOR.toNanos();

        long got = naiveWait(() -> time.nanos() >= freeAt);

        assertThat(got).as("free after 3160 ms, and never noticed within 5 s").isEqualTo(-1);
    }

    @Test
    void waiterIsWokenByTheReleaseItself() {
        try (Holdfast holdfast =
                Holdfast.builder("memory:").environment(time.environment()).build()) {
            DistributedLock lock = holdfast.lock("apples");
            Lease holder = lock.acquire();
            CompletableFuture<Lease> waiter = lock.acquireAsync(MAX_WAIT);
            time.pass(HELD_FOR);
            assertThat(waiter).isNotDone();

            long released = time.nanos();
            holder.close();
            time.runCallbacks();

            assertThat(waiter).isCompleted();
            assertThat(time.nanos()).as("no time has passed").isEqualTo(released);
            waiter.join().close();
        }
    }

    @Test
    void waiterIsWokenByTheExpiryToo() {
        try (Holdfast crashed = Holdfast.builder("memory:a04")
                        .environment(new ManualTimeThatStops(time).environment())
                        .shutdownGrace(Duration.ZERO)
                        .build();
                Holdfast holdfast = Holdfast.builder("memory:a04")
                        .environment(time.environment())
                        .build()) {
            Lease forgotten = crashed.lock("apples").acquire();
            CompletableFuture<Lease> waiter = holdfast.lock("apples").acquireAsync();
            time.pass(Duration.ofMillis(9_999));
            assertThat(waiter).isNotDone();

            time.pass(Duration.ofMillis(1));

            assertThat(waiter).isCompleted();
            assertThat(waiter.join().token()).isGreaterThan(forgotten.token());
            waiter.join().close();
        }
    }
}
