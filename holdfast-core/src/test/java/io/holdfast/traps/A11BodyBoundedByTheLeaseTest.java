package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The critical section outlives the lease, and nobody stops it. */
class A11BodyBoundedByTheLeaseTest {

    private static final LockOptions BRIEF = LockOptions.builder()
            .leaseTime(LockOptions.SHORTEST_LEASE)
            .renewal(LockOptions.Renewal.OFF)
            .onLoss(LockOptions.OnLoss.INTERRUPT)
            .build();

    /** A lock that frees itself when its time is over, and a body that does not hear of it. */
    @Test
    void naiveBodyIsStillInsideWhenTheNextOneEnters() throws Exception {
        Semaphore naive = new Semaphore(1);
        AtomicInteger inside = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        naive.acquire();
        Thread slow = new Thread(() -> {
            inside.incrementAndGet();
            try {
                done.await();
            } catch (InterruptedException unexpected) {
                inside.decrementAndGet();
            }
        });
        slow.start();
        while (inside.get() == 0) {
            Thread.onSpinWait();
        }

        naive.release(); // what an expiry does
        assertThat(naive.tryAcquire(10, TimeUnit.SECONDS)).isTrue();

        assertThat(inside.incrementAndGet()).as("bodies inside").isEqualTo(2);
        done.countDown();
        slow.join();
    }

    @Test
    void bodyIsInterruptedWhenItsLeaseIsLost() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            assertThatThrownBy(() -> holdfast.lock("apples", BRIEF)
                            .run(lease -> new CountDownLatch(1).await(60, TimeUnit.SECONDS)))
                    .isInstanceOf(LeaseLostException.class)
                    .satisfies(lost ->
                            assertThat(lost.getSuppressed()).singleElement().isInstanceOf(InterruptedException.class));

            assertThat(Thread.currentThread().isInterrupted())
                    .as("the interrupt was for the body, not for what comes after it")
                    .isFalse();
        }
    }

    @Test
    void bodyThatIgnoresTheInterruptIsToldAtItsEnd() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            assertThatThrownBy(() -> holdfast.lock("apples", BRIEF).run(lease -> {
                        while (!Thread.currentThread().isInterrupted()) {
                            Thread.onSpinWait();
                        }
                    }))
                    .isInstanceOf(LeaseLostException.class);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
    }

    @Test
    void maxHoldEndsABodyThatWouldBeRenewedForEver() {
        LockOptions bounded = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(1))
                .maxHold(Duration.ofMillis(1_200))
                .onLoss(LockOptions.OnLoss.INTERRUPT)
                .build();
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            assertThatThrownBy(() -> holdfast.lock("apples", bounded)
                            .run(lease -> new CountDownLatch(1).await(60, TimeUnit.SECONDS)))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("maxHold");
        }
    }
}
