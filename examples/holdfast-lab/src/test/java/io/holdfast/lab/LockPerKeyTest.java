package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lab.LockPerKey.CountedLock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shows the faults of {@link LockPerKey} one by one, each in a fixed order of events. */
class LockPerKeyTest {

    private static final Duration A_MINUTE = Duration.ofMinutes(1);
    private static final long LIMIT_SECONDS = 30;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void waitOfAMinuteEndsWithinHalfOfIt() throws Exception {
        LockPerKey locks = new LockPerKey();
        Body holder = new Body();
        Future<String> holding = threads.submit(() -> locks.call("apples", A_MINUTE, holder::run));
        holder.awaitEntry();

        Future<String> waiting = threads.submit(() -> locks.call("apples", A_MINUTE, () -> "too early"));

        assertThatThrownBy(() -> waiting.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(holding).isNotDone();
    }

    @Test
    void timeOutComesOutAsAnUnlockOfAnotherThreadsLock() throws Exception {
        LockPerKey locks = new LockPerKey();
        Body holder = new Body();
        Future<String> holding = threads.submit(() -> locks.call("apples", A_MINUTE, holder::run));
        holder.awaitEntry();

        assertThatThrownBy(() -> locks.call("apples", Duration.ZERO, () -> "too early"))
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(holding).isNotDone();
    }

    @Test
    void twoBodiesRunAtOnceWhenALockIsForgottenBetweenFindingAndCounting() throws Exception {
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
        assertThat(List.of(late, next)).as("calls whose bodies are both inside").noneMatch(Future::isDone);
    }

    @Test
    void interruptionIsForgotten() throws Exception {
        LockPerKey locks = new LockPerKey();
        Future<Boolean> flagIsStillSet = threads.submit(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> locks.call("apples", A_MINUTE, () -> "not reached"))
                    .isInstanceOf(IllegalMonitorStateException.class);
            return Thread.currentThread().isInterrupted();
        });

        assertThat(flagIsStillSet.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isFalse();
    }

    /** A body that stays inside until it is told to leave. */
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
