package io.holdfast.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Scheduler;
import io.holdfast.testing.Await;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The one timer of all leases, set by several threads at the same time. */
class RenewalSchedulerTest {

    private final ManualTime time = new ManualTime();
    private final LockStore store = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
    private final AtomicInteger scheduled = new AtomicInteger();
    private final List<Long> timers = new CopyOnWriteArrayList<>();
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Engine engine = new Engine(
            store,
            new Environment(time, this::schedule, time.environment().executor(), () -> 0.5),
            new Settings("test", 64, Duration.ofMillis(50), Duration.ofMinutes(1), Duration.ZERO, List.of()));

    @AfterEach
    void close() {
        goOn.countDown();
        var unused = engine.close(() -> {});
        store.close();
    }

    private Scheduler.Task schedule(Runnable task, long delay) {
        if (scheduled.incrementAndGet() == 1) {
            await();
        }
        timers.add(delay);
        return () -> timers.remove(delay);
    }

    private void await() {
        try {
            assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** Starts a thread that wants a check after {@code delay}, and returns when that thread waits. */
    private Thread waitsToSetTheTimer(long delay) {
        Thread thread = new Thread(() -> engine.renewals().checkAt(time.nanos() + delay));
        thread.start();
        Await.until(
                "it waits",
                () -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
        return thread;
    }

    /** All of them find the first timer, which is too late for them, and wait for the thread that sets it. */
    @Test
    void laterTimerDoesNotReplaceAnEarlierOneThatWasSetMeanwhile() throws InterruptedException {
        List<Thread> threads = List.of(
                waitsToSetTheTimer(300), waitsToSetTheTimer(100), waitsToSetTheTimer(100), waitsToSetTheTimer(200));

        goOn.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(timers).containsExactly(100L);
        assertThat(scheduled).as("the first, and the earlier one").hasValue(2);
    }

    @Test
    void stoppedKeeperDoesNotBlockTheThreadThatSetsATimerLate() throws InterruptedException {
        goOn.countDown();
        engine.renewals().stop();

        Thread late = new Thread(() -> engine.renewals().checkAt(time.nanos() + 100));
        late.start();
        late.join(TimeUnit.SECONDS.toMillis(30));

        assertThat(late.isAlive()).isFalse();
        assertThat(timers).containsExactly(100L);
    }
}
