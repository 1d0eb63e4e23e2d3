package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Cancellation between acquire and release leaves the lock. */
class A13ReleasedOnCancellationTest {

    @Test
    void naivePipelineForgetsTheLockWhenItIsCancelled() {
        Semaphore naive = new Semaphore(1);
        CompletableFuture<String> request = new CompletableFuture<>();
        naive.acquireUninterruptibly();
        CompletableFuture<Void> pipeline = request.thenAccept(answer -> naive.release());

        pipeline.cancel(true);
        request.complete("answer");

        assertThat(naive.availablePermits()).as("nobody gave it back").isZero();
    }

    /** The cancellation, the release of the holder and the grant meet in every order. */
    @Test
    void cancelledAcquisitionNeverKeepsTheLock() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");
            CyclicBarrier barrier = new CyclicBarrier(2);
            int cancelled = 0;
            for (int round = 0; round < 2_000; round++) {
                Lease holder = lock.acquire();
                CompletableFuture<Lease> waiter = lock.acquireAsync();
                CompletableFuture<Boolean> cancel = CompletableFuture.supplyAsync(() -> {
                    meet(barrier);
                    return waiter.cancel(true);
                });
                meet(barrier);
                holder.close();
                if (cancel.get(10, TimeUnit.SECONDS)) {
                    cancelled++;
                } else {
                    waiter.join().close();
                }
                // Whoever won: the lock is free for the next one.
                lock.acquire().close();
            }
            assertThat(cancelled).isPositive();
            assertThat(lock.inspect().waiters()).isZero();
        }
    }

    @Test
    void bodyThatFailsGivesTheLockBack() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");

            assertThatThrownBy(() -> lock.run(lease -> {
                        throw new StackOverflowError("planted");
                    }))
                    .isInstanceOf(StackOverflowError.class);

            assertThat(lock.inspect().isFree()).isTrue();
        }
    }

    @Test
    void timedOutAcquisitionLeavesNothing() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock lock = holdfast.lock("apples");
            Lease holder = lock.acquire();
            assertThat(lock.tryAcquire(Duration.ofMillis(20))).isEmpty();
            holder.close();

            assertThat(lock.inspect().isFree()).isTrue();
            assertThat(lock.inspect().waiters()).isZero();
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(10, TimeUnit.SECONDS);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}
