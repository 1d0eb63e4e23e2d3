package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Permits over all processes: never more than there are, and in the order of arrival. */
class SemaphoreTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final DistributedSemaphore here = processes.here.semaphore("printers", 3);
    private final DistributedSemaphore there = processes.there.semaphore("printers", 3);

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void noMorePermitsAreOutThanThereAre() {
        Lease one = here.acquire();
        Lease two = there.acquire();
        Lease three = here.tryAcquire().orElseThrow();
        assertThat(List.of(one.token(), two.token(), three.token())).doesNotHaveDuplicates();
        assertThat(here.tryAcquire()).isEmpty();
        assertThat(there.tryAcquire()).isEmpty();
        assertThat(here.inspect().holders()).hasSize(3);
        assertThat(here.inspect().permits()).isEqualTo(3);
        two.close();
        assertThat(here.tryAcquire()).isPresent();
        one.close();
        three.close();
    }

    @Test
    void severalPermitsAreAllOrNone() {
        Lease two = here.withPermits(2).acquire();
        assertThat(there.withPermits(2).tryAcquire()).isEmpty();
        Lease last = there.acquire();
        assertThat(here.inspect().holders())
                .extracting(LockInfo.Holder::permits)
                .containsExactlyInAnyOrder(2, 1);
        two.close();
        last.close();
        there.withPermits(3).acquire().close();
        assertThat(here.permits()).isEqualTo(3);
        try (Lease one = here.acquire(2)) {
            assertThat(here.tryAcquire(2)).isEmpty();
            assertThat(here.tryAcquire(1, Duration.ZERO)).isPresent();
            assertThat(one.isHeld()).isTrue();
        }
    }

    @Test
    void largeRequestIsNotOvertakenBySmallOnes() {
        Lease one = here.acquire();
        CompletableFuture<Lease> all = here.withPermits(3).acquireAsync();
        CompletableFuture<Lease> small = here.acquireAsync();
        CompletableFuture<Lease> remote = there.acquireAsync();
        assertThat(there.tryAcquire())
                .as("two are free, but somebody waits for three")
                .isEmpty();
        assertThat(small).isNotDone();
        one.close();
        processes.time.runCallbacks();
        assertThat(all).isCompleted();
        assertThat(small).isNotDone();
        all.join().close();
        processes.time.runCallbacks();
        assertThat(small).isCompleted();
        assertThat(remote).isCompleted();
        small.join().close();
        remote.join().close();
    }

    @Test
    void whenTheFirstInLineGivesUpThoseBehindItAreServed() {
        Lease one = here.acquire();
        CompletableFuture<Lease> all = here.withPermits(3).acquireAsync();
        CompletableFuture<Lease> small = here.acquireAsync();
        assertThat(small).isNotDone();
        all.cancel(false);
        processes.time.runCallbacks();
        assertThat(small).as("two permits are free").isCompleted();
        one.close();
        small.join().close();
        assertThat(here.inspect()).satisfies(info -> {
            assertThat(info.isFree()).isTrue();
            assertThat(info.waiters()).isZero();
        });
    }

    @Test
    void permitIsPassedOnInsideTheProcessWithoutTheStore() {
        Lease all = here.withPermits(2).acquire();
        processes.time.pass(Duration.ofMillis(1));
        Lease last = here.acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiters.add(here.acquireAsync());
        }
        int sent = processes.store.acquires.get() + processes.store.releases.get();
        Lease holder = last;
        for (int i = 0; i < 4; i++) {
            long token = holder.token();
            holder.close();
            processes.time.runCallbacks();
            holder = waiters.get(i).join();
            assertThat(holder.token()).isEqualTo(token + 1);
        }
        assertThat(processes.store.acquires.get() + processes.store.releases.get())
                .isEqualTo(sent);
        holder.close();
        processes.time.runCallbacks();
        waiters.get(4).join().close();
        all.close();
        assertThat(here.inspect().isFree()).isTrue();
        assertThat(here.inspect().waiters()).isZero();
    }

    @Test
    void permitsOfADeadProcessComeBackWhenItsLeaseEnds() {
        Lease two = here.withPermits(2).acquire();
        processes.store.down = true;
        CompletableFuture<Lease> all = there.withPermits(3).acquireAsync();
        processes.time.pass(Duration.ofSeconds(9));
        assertThat(all).isNotDone();
        processes.time.pass(Duration.ofSeconds(2));
        assertThat(all).isCompleted();
        assertThat(two.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void anotherNumberOfPermitsForTheSameNameIsRefused() {
        Lease lease = here.acquire();
        assertThatThrownBy(() -> processes.here.semaphore("printers", 4).acquire())
                .isExactlyInstanceOf(WrongKindException.class)
                .hasMessageContaining("in use in this process as a semaphore of 3 permits, not as a semaphore of 4");
        assertThatThrownBy(() -> processes.there.semaphore("printers", 4).acquire())
                .isExactlyInstanceOf(WrongKindException.class)
                .hasMessageContaining("is in use as a semaphore of 3 permits, not as a semaphore of 4 permits");
        CompletableFuture<Lease> waiter =
                processes.there.semaphore("printers", 4).acquireAsync();
        processes.time.runCallbacks();
        assertThat(waiter).isCompletedExceptionally();
        lease.close();
        processes.there.semaphore("printers", 4).acquire().close();
    }

    @Test
    void numbersOutOfRangeAreRefusedByName() {
        assertThatThrownBy(() -> processes.here.semaphore("a", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A semaphore has between 1 and 1000000 permits: 'a' with 0");
        assertThatThrownBy(() -> here.withPermits(4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A lease of the semaphore 'printers' has between 1 and 3 permits: 4");
    }

    @Test
    void callInsideACallTakesAnotherPermit() {
        here.run(outer -> here.run(inner -> {
            assertThat(inner.token()).isNotEqualTo(outer.token());
            assertThat(here.inspect().holders()).hasSize(2);
            assertThat(here.tryRun(third -> {})).isTrue();
        }));
        assertThat(here.inspect().isFree()).isTrue();
    }

    @Test
    void attemptsOfManyThreadsAllSucceedWhileThereArePermits() throws Exception {
        int threads = 16;
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedSemaphore plenty = holdfast.semaphore("plenty", threads);
            ExecutorService pool = Executors.newFixedThreadPool(threads);
            try {
                for (int round = 0; round < 200; round++) {
                    CountDownLatch start = new CountDownLatch(1);
                    List<Future<Boolean>> tries = new ArrayList<>();
                    for (int i = 0; i < threads; i++) {
                        tries.add(pool.submit(() -> {
                            start.await();
                            return plenty.tryRun(lease -> {});
                        }));
                    }
                    start.countDown();
                    for (Future<Boolean> attempt : tries) {
                        assertThat(attempt.get())
                                .as("nobody else's attempt is in the way")
                                .isTrue();
                    }
                }
            } finally {
                pool.shutdownNow();
            }
        }
    }

    @Test
    void anyNumberOfWaitersIsServedByAStoreThatAnswersAtOnce() {
        int many = 50_000;
        DistributedSemaphore large = processes.here.semaphore("large", many);
        Lease all = large.withPermits(many).acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            waiters.add(large.acquireAsync(LockOptions.FOREVER));
        }
        all.close();
        processes.time.runCallbacks();
        assertThat(waiters).allSatisfy(waiter -> assertThat(waiter).isCompleted());
        waiters.forEach(waiter -> waiter.join().close());
        assertThat(large.inspect().isFree()).isTrue();
    }

    @Test
    void manyThreadsNeverHaveMoreThanThereAre() throws Exception {
        int permits = 5;
        AtomicInteger out = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (Holdfast one = Holdfast.connect("memory:semaphore-threads");
                Holdfast two = Holdfast.connect("memory:semaphore-threads")) {
            ExecutorService pool = Executors.newFixedThreadPool(16);
            try {
                List<Future<?>> bodies = new ArrayList<>();
                for (int i = 0; i < 16; i++) {
                    int units = 1 + i % 3;
                    DistributedSemaphore semaphore =
                            (i % 2 == 0 ? one : two).semaphore("a", permits).withPermits(units);
                    bodies.add(pool.submit(() -> {
                        for (int n = 0; n < 500; n++) {
                            semaphore.run(lease -> {
                                most.accumulateAndGet(out.addAndGet(units), Math::max);
                                out.addAndGet(-units);
                            });
                        }
                    }));
                }
                for (Future<?> body : bodies) {
                    body.get();
                }
            } finally {
                pool.shutdownNow();
            }
            assertThat(most.get()).isBetween(1, permits);
            assertThat(one.inspect("", 10)).isEmpty();
        }
    }
}
