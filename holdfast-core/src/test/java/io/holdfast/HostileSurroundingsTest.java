package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.ManualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners, callbacks, executors and stores that do what they should not. */
class HostileSurroundingsTest {

    private final LogCapture log = new LogCapture();
    private final ManualTime time = new ManualTime();

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void listenerThatThrowsHarmsNobody() {
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .environment(time.environment())
                .listener(event -> {
                    throw new IllegalStateException("planted");
                })
                .build()) {
            int answer = holdfast.lock("a").call(lease -> 42);
            assertThat(answer).isEqualTo(42);
            time.runCallbacks();
        }
        assertThat(log.messages()).anyMatch(message -> message.contains("HoldfastListener"));
    }

    @Test
    void callbackThatThrowsDoesNotStopTheRenewalOfOthers() {
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .environment(time.environment())
                .executor(Runnable::run)
                .build()) {
            Lease brief = holdfast.lock(
                            "a",
                            LockOptions.builder()
                                    .renewal(LockOptions.Renewal.OFF)
                                    .build())
                    .acquire();
            boolean[] second = {false};
            brief.onLost(() -> {
                throw new AssertionError("planted");
            });
            brief.onLost(() -> second[0] = true);
            Lease kept = holdfast.lock("b").acquire();

            time.pass(Duration.ofMinutes(1));

            assertThat(brief.state()).isEqualTo(LeaseState.LOST);
            assertThat(second[0]).isTrue();
            assertThat(kept.state()).isEqualTo(LeaseState.HELD);
            kept.close();
        }
    }

    @Test
    void executorThatFailsDoesNotStrandAWaiter() throws Exception {
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .executor(task -> {
                    throw new OutOfMemoryError("planted: unable to create native thread");
                })
                .listener(event -> {})
                .build()) {
            DistributedLock lock = holdfast.lock("a");
            Lease first = lock.acquire();
            CompletableFuture<Lease> async = lock.acquireAsync();
            CompletableFuture<Long> thread = CompletableFuture.supplyAsync(() -> lock.call(Lease::token));
            first.close();
            async.get(10, TimeUnit.SECONDS).close();

            assertThat(thread.get(10, TimeUnit.SECONDS)).isGreaterThan(first.token());
        }
    }

    @Test
    void directExecutorServesALongLineWithoutOverflowingTheStack() {
        try (Holdfast holdfast =
                Holdfast.builder("memory:").executor(Runnable::run).build()) {
            DistributedLock lock = holdfast.lock("a");
            Lease first = lock.acquire();
            AtomicInteger served = new AtomicInteger();
            List<CompletableFuture<Void>> line = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                line.add(lock.acquireAsync(LockOptions.FOREVER).thenAccept(lease -> {
                    served.incrementAndGet();
                    lease.close();
                }));
            }
            first.close();

            assertThat(served.get()).isEqualTo(20_000);
            assertThat(line).allMatch(CompletableFuture::isDone);
            assertThat(lock.inspect().isFree()).isTrue();
        }
    }

    @Test
    void continuationMayWaitForItsOwnReleaseOnADirectExecutor() throws Exception {
        try (Holdfast holdfast =
                Holdfast.builder("memory:").executor(Runnable::run).build()) {
            DistributedLock lock = holdfast.lock("a");
            Lease first = lock.acquire();
            CompletableFuture<Boolean> released =
                    lock.acquireAsync().thenApply(lease -> lease.releaseAsync().join());
            CompletableFuture<Void> behind = lock.acquireAsync().thenAccept(Lease::close);
            first.close();

            assertThat(released.get(10, TimeUnit.SECONDS)).isTrue();
            behind.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void logThatThrowsDoesNotCostALease() {
        Handler broken = new Handler() {
            @Override
            public void publish(LogRecord line) {
                throw new IllegalStateException("planted");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("io.holdfast");
        logger.addHandler(broken);
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .environment(time.environment())
                .executor(Runnable::run)
                .build()) {
            Lease brief = holdfast.lock(
                            "a",
                            LockOptions.builder()
                                    .renewal(LockOptions.Renewal.OFF)
                                    .build())
                    .acquire();
            boolean[] told = {false};
            brief.onLost(() -> told[0] = true);
            Lease kept = holdfast.lock("b").acquire();
            time.pass(Duration.ofMinutes(2));

            assertThat(told[0]).isTrue();
            assertThat(kept.state()).isEqualTo(LeaseState.HELD);
            kept.close();
        } finally {
            logger.removeHandler(broken);
        }
    }

    /** What a store does once, before it comes to its senses. */
    private enum Misbehaviour {
        THROWS_AN_ERROR,
        RETURNS_NO_FUTURE,
        COMPLETES_WITH_NOTHING
    }

    @Test
    void storeThatMisbehavesOnceIsAskedAgain() {
        for (Misbehaviour how : Misbehaviour.values()) {
            LockStore real = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
            boolean[] done = {false};
            LockStore odd = (LockStore) Proxy.newProxyInstance(
                    LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, args) -> {
                        if (method.getName().equals("acquire") && !done[0]) {
                            done[0] = true;
                            switch (how) {
                                case THROWS_AN_ERROR -> throw new NoClassDefFoundError("planted");
                                case RETURNS_NO_FUTURE -> {
                                    return null;
                                }
                                case COMPLETES_WITH_NOTHING -> {
                                    return CompletableFuture.completedFuture(null);
                                }
                            }
                        }
                        return method.invoke(real, args);
                    });
            try (Holdfast holdfast =
                    Holdfast.builder(odd).environment(time.environment()).build()) {
                CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
                time.pass(Duration.ofSeconds(1));

                assertThat(future).as(how.toString()).isCompleted();
                future.join().close();
            }
        }
    }

    @Test
    void storeThatAnswersTheReleaseWithNothingIsNoLoss() {
        LockStore real = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
        FaultyStore odd = new FaultyStore(real);
        try (Holdfast holdfast =
                Holdfast.builder(odd).environment(time.environment()).build()) {
            Lease lease = holdfast.lock("a").acquire();
            odd.answers = answer -> CompletableFuture.completedFuture(null);

            lease.close();

            assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    void attemptOnAStoreThatFailsSaysSoAndCleansUp() {
        LockStore real = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
        FaultyStore odd = new FaultyStore(real);
        try (Holdfast holdfast =
                Holdfast.builder(odd).environment(time.environment()).build()) {
            odd.answers = answer -> CompletableFuture.failedFuture(new IllegalStateException("planted"));
            assertThatThrownBy(() -> holdfast.lock("a").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("planted");
            odd.answers = answer -> answer;
            time.pass(Duration.ofSeconds(1));

            assertThat(holdfast.lock("a").inspect().isFree())
                    .as("the attempt was executed, and given back")
                    .isTrue();
        }
    }

    /** A grant that nobody asked for any more, because the withdrawal went first, is given back. */
    @Test
    void grantThatCrossesItsWithdrawalIsGivenBack() {
        LockStore real = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
        List<Runnable> held = new ArrayList<>();
        LockStore slow = (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("acquire")) {
                        CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
                        held.add(() ->
                                answer.complete(real.acquire((Claim) args[0]).join()));
                        return answer;
                    }
                    return method.invoke(real, args);
                });
        try (Holdfast holdfast =
                Holdfast.builder(slow).environment(time.environment()).build()) {
            CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
            future.cancel(false);
            held.forEach(Runnable::run);

            assertThat(holdfast.lock("a").inspect().isFree()).isTrue();
        }
    }
}
