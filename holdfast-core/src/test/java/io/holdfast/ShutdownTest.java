package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.ManualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShutdownTest {

    private final String url = "memory:" + UUID.randomUUID();

    @Test
    void bodyThatRunsThroughCloseIsAloneUntilItEnds() throws Exception {
        Holdfast closing = Holdfast.builder(url).shutdownGrace(Duration.ZERO).build();
        try (Holdfast other = Holdfast.connect(url)) {
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            AtomicBoolean ended = new AtomicBoolean();
            CompletableFuture<Throwable> outcome = CompletableFuture.supplyAsync(() -> {
                try {
                    closing.lock("a").run(lease -> {
                        inside.countDown();
                        mayEnd.await();
                        ended.set(true);
                    });
                    return new AssertionError("not told");
                } catch (Exception told) {
                    return told;
                }
            });
            inside.await();
            CompletableFuture<Boolean> next = other.lock("a").acquireAsync().thenApply(lease -> {
                boolean alone = ended.get();
                lease.close();
                return alone;
            });

            closing.close();

            assertThat(next).as("the body is still running").isNotDone();
            assertThat(other.lock("a").inspect().isFree()).isFalse();
            mayEnd.countDown();
            assertThat(outcome.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(LeaseLostException.class)
                    .hasMessageContaining("closed while the lease was held");
            assertThat(next.get(10, TimeUnit.SECONDS))
                    .as("the next holder came after the body's end")
                    .isTrue();
        }
    }

    @Test
    void bodyThatNeverEndsBlocksTheOthersForItsLeaseAndNoLonger() {
        ManualTime time = new ManualTime();
        try (Holdfast other =
                Holdfast.builder(url).environment(time.environment()).build()) {
            Holdfast closing = Holdfast.builder(url)
                    .environment(time.environment())
                    .shutdownGrace(Duration.ZERO)
                    .build();
            Lease lease = closing.lock("a").acquire();
            time.pass(Duration.ofSeconds(5));
            closing.close();
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);

            CompletableFuture<Lease> next = other.lock("a").acquireAsync();
            time.pass(Duration.ofSeconds(5));
            assertThat(next).isNotDone();
            time.pass(Duration.ofSeconds(5));
            assertThat(next).isCompleted();
            next.join().close();
        }
    }

    @Test
    void closeWaitsForBodiesThatEndWithinTheGrace() throws Exception {
        Holdfast holdfast =
                Holdfast.builder(url).shutdownGrace(Duration.ofSeconds(30)).build();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        FutureTask<Boolean> body = new FutureTask<>(() -> holdfast.lock("a").call(lease -> {
            inside.countDown();
            return mayEnd.await(20, TimeUnit.SECONDS);
        }));
        new Thread(body).start();
        inside.await();
        CompletableFuture<Void> first = CompletableFuture.runAsync(holdfast::close);
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            Thread.currentThread().interrupt();
            holdfast.close();
        });
        while (!refuses(holdfast)) {
            Thread.onSpinWait();
        }
        assertThat(first).isNotDone();
        assertThat(second).as("the second caller waits too, interrupted or not").isNotDone();

        mayEnd.countDown();

        body.get(10, TimeUnit.SECONDS);
        first.get(10, TimeUnit.SECONDS);
        second.get(10, TimeUnit.SECONDS);
    }

    private static boolean refuses(Holdfast holdfast) {
        try {
            holdfast.lock("b");
            return false;
        } catch (HoldfastException closed) {
            return true;
        }
    }

    @Test
    void waitersAreSentAway() {
        Holdfast holdfast = Holdfast.builder(url).shutdownGrace(Duration.ZERO).build();
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync();

        holdfast.close();

        assertThatThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
                .hasCauseInstanceOf(HoldfastException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void closingTwiceDoesNotCloseForOthers() {
        Holdfast one = Holdfast.connect(url);
        try (Holdfast two = Holdfast.connect(url)) {
            one.close();
            one.close();
            try (Holdfast three = Holdfast.connect(url);
                    Lease held = two.lock("a").acquire()) {
                assertThat(three.lock("a").tryAcquire())
                        .as("token " + held.token() + " is held in the same store")
                        .isEmpty();
            }
        }
    }

    @Test
    void closingUnderLoadLeavesNothingInTheStore() throws Exception {
        try (Holdfast observer = Holdfast.connect(url)) {
            for (int round = 0; round < 20; round++) {
                Holdfast holdfast = Holdfast.connect(url);
                List<Thread> threads = new ArrayList<>();
                CountDownLatch running = new CountDownLatch(8);
                for (int t = 0; t < 8; t++) {
                    Thread thread = new Thread(() -> {
                        try {
                            while (true) {
                                holdfast.lock("a").run(lease -> running.countDown());
                            }
                        } catch (HoldfastException closed) {
                            // the way out
                        }
                    });
                    threads.add(thread);
                    thread.start();
                }
                running.await();
                holdfast.close();
                for (Thread thread : threads) {
                    thread.join(10_000);
                    assertThat(thread.isAlive()).isFalse();
                }
                assertThat(observer.inspect("", 10)).isEmpty();
            }
        }
    }

    @Test
    void bodyThatClosesWhileAnotherThreadClosesIsNotWaitedForByItself() throws Exception {
        Holdfast holdfast =
                Holdfast.builder(url).shutdownGrace(Duration.ofSeconds(100)).build();
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        FutureTask<LeaseState> body = new FutureTask<>(() -> holdfast.lock("a").call(lease -> {
            inside.countDown();
            closing.await();
            while (!refuses(holdfast)) {
                Thread.onSpinWait();
            }
            holdfast.close();
            return lease.state();
        }));
        new Thread(body).start();
        inside.await();
        closing.countDown();

        holdfast.close();

        assertThat(body.get(10, TimeUnit.SECONDS)).isEqualTo(LeaseState.HELD);
    }

    @Test
    void storeThatFailsToCloseLeavesNoThread() throws Exception {
        Holdfast holdfast = Holdfast.builder(environment -> {
                    LockStore real = new MemoryStoreProvider().open(url, environment);
                    return (LockStore) Proxy.newProxyInstance(
                            LockStore.class.getClassLoader(),
                            new Class<?>[] {LockStore.class},
                            (proxy, method, args) -> {
                                if (method.getName().equals("close")) {
                                    throw new IllegalStateException("planted");
                                }
                                return method.invoke(real, args);
                            });
                })
                .build();
        holdfast.lock("a").run(lease -> {});

        assertThatThrownBy(holdfast::close).hasMessageContaining("planted");
        noThreadOfOursIsAlive();
    }

    @Test
    void bodyThatEndsAfterCloseReleasesTheLock() throws Exception {
        ClosableStore store = new ClosableStore(url);
        Holdfast closing = Holdfast.builder(store::open)
                .shutdownGrace(Duration.ZERO)
                .defaults(LockOptions.builder().leaseTime(Duration.ofDays(1)).build())
                .build();
        try (Holdfast other = Holdfast.connect(url)) {
            Lease first = closing.lock("a").acquire();
            Lease second = closing.lock("b").acquire();

            closing.close();

            assertThat(store.closed).as("it is still needed").isNotDone();
            assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);
            other.lock("a").acquire(Duration.ofSeconds(20)).close();
            assertThat(store.closed).isNotDone();
            assertThatThrownBy(second::close).isInstanceOf(LeaseLostException.class);
            other.lock("b").acquire(Duration.ofSeconds(20)).close();
            store.closed.get(20, TimeUnit.SECONDS);
        }
        noThreadOfOursIsAlive();
    }

    @Test
    void storeIsClosedWhenTheLateLeaseHasExpired() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        Holdfast closing = store.holdfast(time, LockOptions.defaults());
        Lease lease = closing.lock("a").acquire();
        closing.close();
        time.pass(Duration.ofSeconds(9));
        assertThat(store.closed).isNotDone();

        time.pass(Duration.ofSeconds(2));

        assertThat(store.closed).isCompleted();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(time.timers()).isZero();
    }

    @Test
    void storeIsClosedAfterAMinuteHoweverLongTheLateLeaseIs() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        Holdfast closing = store.holdfast(
                time, LockOptions.builder().leaseTime(Duration.ofDays(1)).build());
        closing.lock("a").acquire();
        closing.close();
        time.pass(Duration.ofSeconds(59));
        assertThat(store.closed).isNotDone();

        time.pass(Duration.ofSeconds(2));

        assertThat(store.closed).isCompleted();
    }

    @Test
    void lateReleaseIsRepeatedUntilTheStoreAnswers() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        Holdfast closing = store.holdfast(time, LockOptions.defaults());
        Lease lease = closing.lock("a").acquire();
        closing.close();
        store.faulty().down = true;
        assertThat(lease.releaseAsync()).isCompletedWithValue(false);
        time.pass(Duration.ofSeconds(1));
        assertThat(store.closed).isNotDone();

        store.faulty().down = false;
        time.pass(Duration.ofSeconds(2));

        assertThat(store.closed).isCompleted();
        try (Holdfast other = other(time)) {
            assertThat(other.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void releaseThatIsNotAnsweredWhenTheGraceEndsIsStillSent() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        Holdfast closing = store.holdfast(
                time, LockOptions.builder().leaseTime(Duration.ofDays(1)).build());
        Lease lease = closing.lock("a").acquire();
        store.faulty().down = true;
        lease.close();
        closing.close();
        assertThat(store.closed).isNotDone();

        store.faulty().down = false;
        time.pass(Duration.ofSeconds(2));

        assertThat(store.closed).isCompleted();
        try (Holdfast other = other(time)) {
            assertThat(other.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void storeStaysOpenForARenewalThatMayLengthenAShortenedLease() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(20))
                .build();
        Holdfast closing = store.holdfast(time, options);
        Lease lease = closing.lock("job").acquire();
        store.faulty().delaysRenewals = true;
        time.pass(Duration.ofSeconds(9));
        lease.close();
        closing.close();
        time.runCallbacks();
        assertThat(store.closed).as("the lease has to be shortened again").isNotDone();

        store.faulty().sendDelayed();
        time.runCallbacks();

        assertThat(store.closed).isCompleted();
        try (Holdfast other = other(time)) {
            time.pass(Duration.ofSeconds(12));
            assertThat(other.lock("job").tryAcquire()).isPresent();
        }
    }

    @Test
    void leaseThatWasLostBeforeCloseIsReleasedWhenItsBodyEnds() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(10)).build();
        Holdfast closing = store.holdfast(time, LockOptions.defaults());
        Lease first = closing.readWriteLock(
                        "a", options.toBuilder().maxHold(Duration.ofSeconds(12)).build())
                .readLock()
                .acquire();
        Lease second = closing.readWriteLock("a", options).readLock().acquire();
        time.pass(Duration.ofSeconds(13));
        assertThat(first.state()).isEqualTo(LeaseState.LOST);
        second.close();
        closing.close();
        time.runCallbacks();

        assertThatThrownBy(first::close).isInstanceOf(LeaseLostException.class);

        try (Holdfast other = other(time)) {
            assertThat(other.readWriteLock("a").writeLock().tryAcquire()).isPresent();
        }
        time.runCallbacks();
        assertThat(store.closed).isCompleted();
    }

    @Test
    void lateReleaseKeepsTheNameForHoldAtLeast() {
        ManualTime time = new ManualTime();
        ClosableStore store = new ClosableStore(url);
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofMinutes(1))
                .holdAtLeast(Duration.ofSeconds(10))
                .build();
        Holdfast closing = store.holdfast(time, options);
        Lease lease = closing.lock("job").acquire();
        closing.close();
        time.pass(Duration.ofSeconds(1));
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);

        try (Holdfast other = other(time)) {
            time.pass(Duration.ofMillis(8_900));
            assertThat(other.lock("job").tryAcquire()).isEmpty();
            time.pass(Duration.ofMillis(100));
            assertThat(other.lock("job").tryAcquire()).isPresent();
        }
    }

    @Test
    void storeIsClosedAlthoughTheGivenExecutorWasShutDown() throws Exception {
        ManualTime time = new ManualTime();
        Environment given = time.environment();
        ClosableStore store = new ClosableStore(url);
        AtomicBoolean shutDown = new AtomicBoolean();
        Holdfast closing = Holdfast.builder(store::open)
                .environment(new Environment(
                        given.ticker(),
                        given.scheduler(),
                        task -> {
                            if (shutDown.get()) {
                                throw new RejectedExecutionException("planted: shut down");
                            }
                            given.executor().execute(task);
                        },
                        given.random()))
                .shutdownGrace(Duration.ZERO)
                .build();
        Lease lease = closing.lock("a").acquire();
        closing.close();
        shutDown.set(true);

        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);

        store.closed.get(20, TimeUnit.SECONDS);
    }

    private Holdfast other(ManualTime time) {
        return Holdfast.builder(url)
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .build();
    }

    /** A store that refuses everything once it is closed, as one with a connection does. */
    private static final class ClosableStore {
        private final String url;
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private @Nullable FaultyStore faulty;

        private ClosableStore(String url) {
            this.url = url;
        }

        /** One that closes this store with itself, and does not wait for critical sections. */
        Holdfast holdfast(ManualTime time, LockOptions options) {
            return Holdfast.builder(this::open)
                    .environment(time.environment())
                    .shutdownGrace(Duration.ZERO)
                    .defaults(options)
                    .build();
        }

        FaultyStore faulty() {
            return Objects.requireNonNull(faulty);
        }

        LockStore open(Environment environment) {
            FaultyStore real = new FaultyStore(new MemoryStoreProvider().open(url, environment));
            faulty = real;
            return (LockStore) Proxy.newProxyInstance(
                    LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, args) -> {
                        if (method.getName().equals("close")) {
                            closed.complete(null);
                        } else if (closed.isDone()) {
                            return CompletableFuture.failedFuture(new IllegalStateException("The store is closed."));
                        }
                        return method.invoke(real, args);
                    });
        }
    }

    @Test
    void noThreadIsLeft() throws Exception {
        Holdfast holdfast = Holdfast.builder(url)
                .defaults(
                        LockOptions.builder().leaseTime(Duration.ofMillis(100)).build())
                .build();
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync();
        lease.close();
        waiter.get(10, TimeUnit.SECONDS).close();
        holdfast.close();
        noThreadOfOursIsAlive();
    }

    private static void noThreadOfOursIsAlive() throws InterruptedException {
        List<Thread> ours = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("holdfast-"))
                .toList();
        for (Thread thread : ours) {
            thread.join(10_000);
        }
        assertThat(ours).noneMatch(Thread::isAlive);
    }
}
