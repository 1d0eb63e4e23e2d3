package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.testing.Await;
import io.holdfast.testing.LogCapture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners get events in order, and a slow one delays nothing but its own events. */
class ListenerTest {

    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final LogCapture log = new LogCapture();

    @AfterEach
    void close() {
        mayGoOn.countDown();
        log.close();
    }

    private void block() {
        try {
            mayGoOn.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void blockedListenerDelaysNeitherCallbacksNorCompletions() throws Exception {
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .listener(event -> block())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            for (int i = 0; i < 100; i++) {
                holdfast.lock("busy").run(lease -> {});
            }
            CountDownLatch elected = new CountDownLatch(1);
            CountDownLatch deposed = new CountDownLatch(1);
            LeaderElection election = holdfast.election("seat");
            election.start(new LeaderElection.Listener() {
                @Override
                public void onElected(Lease term) {
                    elected.countDown();
                }

                @Override
                public void onRevoked(Lease term) {
                    deposed.countDown();
                }
            });
            assertThat(elected.await(20, TimeUnit.SECONDS)).isTrue();
            CountDownLatch lost = new CountDownLatch(1);
            Lease lease = holdfast.lock("a").acquire();
            lease.onLost(lost::countDown);
            CompletableFuture<Lease> late = holdfast.lock("a").acquireAsync(Duration.ofMillis(50));
            assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(LockTimeoutException.class);

            holdfast.lock("a").forceRelease(lease.token());
            holdfast.lock("seat").forceRelease(election.term().orElseThrow().token());

            assertThat(lost.await(20, TimeUnit.SECONDS)).as("onLost was called").isTrue();
            assertThat(deposed.await(20, TimeUnit.SECONDS))
                    .as("deposed() was called")
                    .isTrue();
        }
    }

    @Test
    void blockedListenerDelaysNoOtherListener() throws Exception {
        CountDownLatch other = new CountDownLatch(200);
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .listener(event -> block())
                .listener(event -> other.countDown())
                .build()) {
            for (int i = 0; i < 100; i++) {
                holdfast.lock("a").run(lease -> {});
            }

            assertThat(other.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void eventsThatDoNotFitAreDroppedCountedAndLogged() throws Exception {
        int leases = 20_000;
        AtomicLong received = new AtomicLong();
        AtomicLong dropped = new AtomicLong();
        HoldfastListener slow = new HoldfastListener() {
            @Override
            public void on(LockEvent event) {
                block();
                received.incrementAndGet();
            }

            @Override
            public void dropped(long count) {
                dropped.addAndGet(count);
            }
        };
        try (Holdfast holdfast = Holdfast.builder("memory:").listener(slow).build()) {
            for (int i = 0; i < leases; i++) {
                holdfast.lock("a").run(lease -> {});
            }
            mayGoOn.countDown();

            Await.until("every event is received or dropped", () -> received.get() + dropped.get() == 3L * leases);
        }
        assertThat(received.get()).as("what the queue has room for").isBetween(8_000L, 9_000L);
        assertThat(log.messages()).anyMatch(line -> line.contains("Events are dropped ("));
    }

    @Test
    void eventsOfOneNameComeInTheOrderInWhichTheyHappened() throws Exception {
        int threads = 4;
        int leasesEach = 1_500;
        List<String> wrong = new ArrayList<>();
        AtomicInteger events = new AtomicInteger();
        HoldfastListener inOrder = new HoldfastListener() {
            private long held;

            @Override
            public void on(LockEvent event) {
                switch (event.kind()) {
                    case ACQUIRED, HANDED_OVER -> {
                        if (held != 0) {
                            wrong.add(event + " while " + held + " is held");
                        }
                        held = event.token();
                    }
                    case RELEASED -> {
                        if (held != event.token()) {
                            wrong.add(event + " while " + held + " is held");
                        }
                        held = 0;
                    }
                    default -> {
                        return;
                    }
                }
                events.incrementAndGet();
            }
        };
        try (Holdfast holdfast = Holdfast.builder("memory:").listener(inOrder).build()) {
            List<Thread> crowd = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < leasesEach; i++) {
                        int before = events.get();
                        holdfast.lock("a").acquire(Duration.ofMinutes(1)).close();
                        // So that the queue never overflows.
                        while (events.get() == before) {
                            Thread.onSpinWait();
                        }
                    }
                });
                crowd.add(thread);
                thread.start();
            }
            for (Thread thread : crowd) {
                thread.join();
            }
            Await.until("all events are received", () -> events.get() == 2 * threads * leasesEach);
        }
        assertThat(wrong).isEmpty();
    }
}
