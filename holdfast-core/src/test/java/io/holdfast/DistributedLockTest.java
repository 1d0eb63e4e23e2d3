package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DistributedLockTest {

    private final Holdfast holdfast = Holdfast.connect("memory:");
    private final DistributedLock lock = holdfast.lock("hotel:42");

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void leaseIsHeldUntilItIsClosed() {
        Lease lease = lock.acquire();

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(lock.tryAcquire()).isEmpty();

        lease.close();

        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease.remaining()).isZero();
        assertThat(lock.tryRun(next -> {})).isTrue();
    }

    @Test
    void tokensGrowFromLeaseToLease() {
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            lock.run(lease -> tokens.add(lease.token()));
        }

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void manyThreadsTakeTurns() throws Exception {
        int[] unguarded = {0};
        AtomicInteger inside = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 16; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 500; i++) {
                    lock.run(lease -> {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        unguarded[0]++;
                        inside.decrementAndGet();
                    });
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(unguarded[0]).isEqualTo(8_000);
    }

    @Test
    void waiterGetsTheLeaseWhenItIsReleased() throws Exception {
        Lease first = lock.acquire();
        CompletableFuture<Lease> second = lock.acquireAsync();
        assertThat(second).isNotDone();

        first.close();

        try (Lease lease = second.get(10, TimeUnit.SECONDS)) {
            assertThat(lease.token()).isGreaterThan(first.token());
        }
    }

    @Test
    void releaseTwiceIsToldAndHarmless() {
        Lease first = lock.acquire();
        assertThat(first.release()).isTrue();
        try (Lease second = lock.acquire()) {
            assertThat(first.release()).isFalse();
            first.close();

            assertThat(second.state()).isEqualTo(LeaseState.HELD);
        }
    }

    @Test
    void callReturnsWhatTheBodyReturnsAndThrowsWhatItThrows() {
        int left = lock.call(lease -> 5 - 3);
        assertThat(left).isEqualTo(2);

        assertThatThrownBy(() -> lock.call(lease -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("disk");
        assertThat(lock.tryAcquire())
                .isPresent()
                .get()
                .extracting(Lease::release)
                .isEqualTo(true);
    }

    @Test
    void tryAcquireWithAWaitIsEmptyWhenTheWaitIsOver() {
        try (Lease lease = lock.acquire()) {
            Optional<Lease> attempt = lock.tryAcquire(Duration.ofMillis(30));

            assertThat(attempt).isEmpty();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        }
    }

    @Test
    void cancelledFutureWithdrawsItsClaim() {
        Lease first = lock.acquire();
        CompletableFuture<Lease> second = lock.acquireAsync();
        assertThat(second.cancel(false)).isTrue();

        first.close();

        assertThat(lock.inspect().isFree()).isTrue();
        assertThat(lock.inspect().waiters()).isZero();
    }
}
