package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Cancellation between acquire and release leaves the lock. */
class A13ReleasedOnCancellationIT {

    private static final int ROUNDS = 200;
    private static final long STEP_NANOS = 100_000;

    @Test
    void naivePipelineLeavesTheLockHeldAndHoldfastReleasesIt() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (RedisServer server = RedisServer.start();
                NaiveClient client = new NaiveClient(server.url());
                Holdfast holding = Holdfast.connect(server.url());
                Holdfast waiting = Holdfast.connect(server.url())) {
            NaiveSpinLock naive = new NaiveSpinLock(client.redis());
            CompletableFuture<String> request = new CompletableFuture<>();
            assertThat(naive.tryAcquire("naive", "A", Duration.ofMinutes(1))).isTrue();
            CompletableFuture<Void> pipeline = request.thenAccept(answer -> naive.release("naive", "A"));
            pipeline.cancel(true);
            request.complete("answer");
            assertThat(client.redis().exists("naive")).as("it was not released").isEqualTo(1);

            // The cancellation, the release of the holder and the message meet in every order.
            DistributedLock lock = holding.lock("apples");
            DistributedLock cancelled = waiting.lock("apples");
            CyclicBarrier barrier = new CyclicBarrier(2);
            int withdrawn = 0;
            for (int round = 0; round < ROUNDS; round++) {
                Lease holder = lock.acquire();
                CompletableFuture<Lease> waiter = cancelled.acquireAsync();
                long later = round % 100 * STEP_NANOS;
                long begun = System.nanoTime();
                CompletableFuture<Boolean> cancel = CompletableFuture.supplyAsync(
                        () -> {
                            meet(barrier);
                            // From at once to about as long as a release and its message take.
                            while (System.nanoTime() - begun < later) {
                                Thread.onSpinWait();
                            }
                            return waiter.cancel(true);
                        },
                        threads);
                meet(barrier);
                holder.close();
                if (cancel.get(10, TimeUnit.SECONDS)) {
                    withdrawn++;
                } else {
                    waiter.join().close();
                }
            }
            System.out.printf("figure: %d of %d waits cancelled in time%n", withdrawn, ROUNDS);
            assertThat(withdrawn).isPositive();
            Eventually.holds("it is released", () -> lock.inspect().isFree());
            assertThat(lock.inspect().waiters()).isZero();
        } finally {
            threads.shutdownNow();
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
