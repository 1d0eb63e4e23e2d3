package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.lab.LockPerKey.CountedLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The keyed map of locks: the faults of {@link LockPerKey} one by one, each in a fixed order of events, and beside each
 * what {@code memory:} does. That idle names leave nothing behind is shown by {@code ManyNamesTest} of the core.
 */
class A08KeyedLockTest {

    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final long LIMIT_SECONDS = 30;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void naiveWaitOfAMinuteEndsWithinHalfOfIt() throws Exception {
        LockPerKey locks = new LockPerKey();
        Body holder = new Body();
        Future<String> holding = threads.submit(() -> locks.call("apples", A_MINUTE, holder::run));
        holder.awaitEntry();

        Future<String> waiting = threads.submit(() -> locks.call("apples", A_MINUTE, () -> "too early"));

        assertThatThrownBy(() -> waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(holding).isNotDone();
    }

    @Test
    void naiveTimeoutIsReportedAsAnUnlockOfAnotherThreadsLock() throws Exception {
        LockPerKey locks = new LockPerKey();
        Body holder = new Body();
        Future<String> holding = threads.submit(() -> locks.call("apples", A_MINUTE, holder::run));
        holder.awaitEntry();

        assertThatThrownBy(() -> locks.call("apples", Duration.ZERO, () -> "too early"))
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(holding).isNotDone();
    }

    @Test
    void twoNaiveBodiesRunAtOnceWhenALockIsRemovedBetweenFindingAndCounting() throws Exception {
        PausingMap map = new PausingMap();
        LockPerKey locks = new LockPerKey(map);
        Body first = new Body();
        Body second = new Body();
        Body third = new Body();

        Future<String> leaving = threads.submit(() -> locks.call("apples", A_MINUTE, first::run));
        first.awaitEntry();
        map.pauseNextCaller();
        Future<String> late = threads.submit(() -> locks.call("apples", A_MINUTE, second::run));
        map.awaitPause();
        first.leave();
        leaving.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        map.resume();
        second.awaitEntry();

        Future<String> next = threads.submit(() -> locks.call("apples", A_MINUTE, third::run));

        third.awaitEntry();
        assertThat(List.of(late, next)).as("calls whose bodies both run").noneMatch(Future::isDone);
    }

    @Test
    void naiveInterruptIsLost() throws Exception {
        LockPerKey locks = new LockPerKey();
        Future<Boolean> flagIsStillSet = threads.submit(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> locks.call("apples", A_MINUTE, () -> "not reached"))
                    .isInstanceOf(IllegalMonitorStateException.class);
            return Thread.currentThread().isInterrupted();
        });

        assertThat(flagIsStillSet.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void waitLastsUntilTheHolderLeaves() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock apples = holdfast.lock(
                    "apples", LockOptions.builder().maxWait(A_MINUTE).build());
            Body holder = new Body();
            Future<String> holding = threads.submit(() -> apples.call(lease -> holder.run()));
            holder.awaitEntry();
            Future<Boolean> waiting = threads.submit(() -> apples.call(lease -> holding.isDone() || holder.isLeft()));
            holder.leave();

            assertThat(waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void timeoutIsReportedAsSuchAndLeavesTheHolderAlone() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedLock apples = holdfast.lock("apples");
            Body holder = new Body();
            Future<String> holding = threads.submit(() -> apples.call(lease -> holder.run()));
            holder.awaitEntry();

            assertThatThrownBy(() -> apples.acquire(Duration.ofMillis(3))).isInstanceOf(LockTimeoutException.class);

            assertThat(apples.tryAcquire()).as("still held by the other").isEmpty();
            holder.leave();
            assertThat(holding.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("done");
        }
    }

    /** Names come and go all the time here: each thread leaves the wait queue empty as often as it can. */
    @Test
    void neverTwoBodiesAtOnceHoweverNamesComeAndGo() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            AtomicInteger inside = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(4);
            List<Future<Integer>> runs = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                runs.add(threads.submit(() -> {
                    int most = 0;
                    for (int round = 0; round < 3_000; round++) {
                        if (round % 100 == 0) {
                            start.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                        }
                        most = Math.max(most, holdfast.lock("apples").call(lease -> {
                            int now = inside.incrementAndGet();
                            Thread.onSpinWait();
                            inside.decrementAndGet();
                            return now;
                        }));
                    }
                    return most;
                }));
            }
            for (Future<Integer> run : runs) {
                assertThat(run.get(2 * LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            }
        }
    }

    @Test
    void interruptIsKept() throws Exception {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            Future<Boolean> flagIsStillSet = threads.submit(() -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> holdfast.lock("apples").run(lease -> {}))
                        .isInstanceOf(LockInterruptedException.class);
                return Thread.currentThread().isInterrupted();
            });

            assertThat(flagIsStillSet.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A body that runs until {@link #leave} is called. */
    private static final class Body {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch left = new CountDownLatch(1);

        String run() throws InterruptedException {
            entered.countDown();
            left.await();
            return "done";
        }

        void awaitEntry() throws InterruptedException {
            assertThat(entered.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        void leave() {
            left.countDown();
        }

        boolean isLeft() {
            return left.getCount() == 0;
        }
    }

    /** A map that can stop one caller on its way out, with the lock already found. */
    private static final class PausingMap extends ConcurrentHashMap<String, CountedLock> {

        private static final long serialVersionUID = 1L;

        private final transient CountDownLatch paused = new CountDownLatch(1);
        private final transient CountDownLatch resumed = new CountDownLatch(1);
        private volatile boolean pauseNext;

        @Override
        public CountedLock computeIfAbsent(
                String key, Function<? super String, ? extends CountedLock> mappingFunction) {
            CountedLock lock = super.computeIfAbsent(key, mappingFunction);
            if (pauseNext) {
                pauseNext = false;
                paused.countDown();
                try {
                    resumed.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            return lock;
        }

        void pauseNextCaller() {
            pauseNext = true;
        }

        void awaitPause() throws InterruptedException {
            assertThat(paused.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }

        void resume() {
            resumed.countDown();
        }
    }
}
