package io.holdfast.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockInterruptedException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The events of a random history on real threads, with cancellations, timeouts, interrupts and losses, balance to zero. */
class EventAccountingTest {

    private static final int THREADS = 8;
    private static final int ACQUISITIONS_EACH = 1_600;

    @Test
    void randomHistoryBalancesToZero() throws Exception {
        String url = "memory:" + UUID.randomUUID();
        EventBalance here = new EventBalance();
        EventBalance there = new EventBalance();
        CountDownLatch ended = new CountDownLatch(THREADS);
        try (Holdfast first = Holdfast.builder(url).listener(here).build();
                Holdfast second = Holdfast.builder(url).listener(there).build()) {
            List<Throwable> failures = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                Random dice = new Random(t);
                Thread thread = new Thread(() -> {
                    try {
                        for (int i = 0; i < ACQUISITIONS_EACH; i++) {
                            acquisition(dice.nextBoolean() ? first : second, dice);
                        }
                    } catch (Throwable failure) {
                        synchronized (failures) {
                            failures.add(failure);
                        }
                    } finally {
                        ended.countDown();
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
            assertThat(ended.await(5, TimeUnit.MINUTES)).isTrue();
            assertThat(failures).isEmpty();
            assertThat(first.localLocks().waiting()).isEmpty();
            assertThat(second.localLocks().held()).isEmpty();
        }
        // Listeners run on threads of their own: the last events come a moment later.
        Eventually.holds("all events of the first", () -> here.violations().isEmpty());
        Eventually.holds("all events of the second", () -> there.violations().isEmpty());
        assertThat(here.acquisitions() + there.acquisitions()).isGreaterThanOrEqualTo(10_000);
        assertThat(here.lost() + there.lost()).isPositive();
    }

    private static void acquisition(Holdfast holdfast, Random dice) {
        String name = "name-" + dice.nextInt(4);
        LockOptions options = LockOptions.builder()
                .maxWait(Duration.ofNanos(dice.nextInt(2_000_000)))
                .build();
        DistributedLock lock = dice.nextInt(5) == 0
                ? dice.nextBoolean()
                        ? holdfast.readWriteLock("rw", options).readLock()
                        : holdfast.readWriteLock("rw", options).writeLock()
                : holdfast.lock(name, options);
        try {
            switch (dice.nextInt(6)) {
                case 0 -> lock.tryRun(lease -> {});
                case 1 -> lock.run(lease -> lock.run(again -> {}));
                case 2 -> cancelled(lock, dice);
                case 3 -> released(lock.acquire(), holdfast, dice);
                case 4 -> interrupted(lock);
                default ->
                    lock.callAsync(lease -> CompletableFuture.completedFuture(1))
                            .join();
            }
        } catch (LockTimeoutException | LeaseLostException | CancellationException expected) {
            // These ends of waits and leases are what the history is made of.
        } catch (CompletionException expected) {
            // Readers of one process share a token, so one of them may be released by force with another.
            assertThat(expected.getCause()).isInstanceOfAny(LockTimeoutException.class, LeaseLostException.class);
        }
    }

    private static void cancelled(DistributedLock lock, Random dice) {
        CompletableFuture<Lease> future = lock.acquireAsync(Duration.ofSeconds(1));
        if (dice.nextBoolean()) {
            future.cancel(false);
        }
        future.join().close();
    }

    private static void released(Lease lease, Holdfast holdfast, Random dice) {
        if (dice.nextInt(3) == 0) {
            holdfast.forceRelease(lease.name(), lease.token());
        }
        lease.close();
    }

    /** The interrupt comes before the wait, which then has no events, during the wait, or after it. */
    private static void interrupted(DistributedLock lock) {
        Thread waiter = Thread.currentThread();
        CompletableFuture<Void> interrupt = CompletableFuture.runAsync(waiter::interrupt);
        try {
            lock.acquire().close();
        } catch (LockInterruptedException expected) {
            // One of the ends that are counted.
        } finally {
            interrupt.join();
            Thread.interrupted();
        }
    }

    @Test
    void missingEventIsFound() {
        List<LockEvent> history = List.of(
                event(1, LockEvent.Kind.REQUESTED, 0),
                event(2, LockEvent.Kind.ACQUIRED, 7),
                event(3, LockEvent.Kind.REQUESTED, 0),
                event(4, LockEvent.Kind.TIMED_OUT, 0),
                event(5, LockEvent.Kind.RELEASED, 7));
        assertThat(balance(history)).isEmpty();
        for (int missing = 0; missing < history.size(); missing++) {
            List<LockEvent> others = new ArrayList<>(history);
            others.remove(missing);
            assertThat(balance(others)).as("without event %s", missing + 1).isNotEmpty();
        }
        List<LockEvent> twice = new ArrayList<>(history);
        twice.add(event(6, LockEvent.Kind.LOST, 7));
        assertThat(balance(twice)).anyMatch(violation -> violation.contains("ended already"));
    }

    private static List<String> balance(List<LockEvent> history) {
        EventBalance balance = new EventBalance();
        history.forEach(balance::on);
        return balance.violations();
    }

    private static LockEvent event(long sequence, LockEvent.Kind kind, long token) {
        return new LockEvent(sequence, Instant.EPOCH, kind, "a", "", token, Duration.ZERO, null);
    }
}
