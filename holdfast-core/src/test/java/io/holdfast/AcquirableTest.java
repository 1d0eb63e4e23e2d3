package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.TwoProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The forms of acquisition around a body: try, with a timeout, with a result, and asynchronous. */
class AcquirableTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final DistributedLock lock = processes.here.lock("a");
    private final DistributedLock there = processes.there.lock("a");

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void tryCallReturnsTheResultOfTheBodyOrEmpty() throws IOException {
        assertThat(lock.tryCall(Lease::token)).isPresent();
        assertThat(lock.<String, IOException>tryCall(lease -> "read")).contains("read");
        try (Lease held = there.acquire()) {
            assertThat(lock.tryCall(lease -> "not run")).isEmpty();
            assertThat(lock.tryCall(Duration.ZERO, lease -> "not run")).isEmpty();
            assertThat(lock.tryRun(Duration.ZERO, lease -> {})).isFalse();
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(lock.tryRun(Duration.ofSeconds(1), lease -> {})).isTrue();
    }

    @Test
    void tryCallRefusesANullResultAndReleases() {
        assertThatThrownBy(() -> lock.tryCall(AcquirableTest::nothing))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("tryRun");
        assertThat(lock.isLocked()).isFalse();
    }

    @SuppressWarnings("NullAway")
    private static String nothing(Lease lease) {
        return null;
    }

    @Test
    void exceptionOfTheBodyIsThrownAndTheLockIsReleased() {
        assertThatThrownBy(() -> lock.tryCall(lease -> {
                    throw new IOException("disk");
                }))
                .isInstanceOf(IOException.class);
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void tryCallAndTryRunAreReentrant() {
        lock.run(outer -> {
            assertThat(lock.tryCall(Lease::token)).contains(outer.token());
            assertThat(lock.tryRun(
                            Duration.ZERO, inner -> assertThat(inner.token()).isEqualTo(outer.token())))
                    .isTrue();
        });
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void timedAttemptWithoutAThreadIsEmptyAtItsDeadline() {
        Lease held = there.acquire();
        CompletableFuture<Optional<Lease>> attempt = lock.tryAcquireAsync(Duration.ofSeconds(2));
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(attempt).isNotDone();
        processes.time.pass(Duration.ofSeconds(2));
        assertThat(attempt.join()).isEmpty();

        CompletableFuture<Optional<Lease>> second = lock.tryAcquireAsync(Duration.ofSeconds(2));
        held.close();
        processes.time.runCallbacks();
        assertThat(second.join()).isPresent();
    }

    @Test
    void timeoutSaysHowLongItWaitedAndWhoHoldsTheLock() {
        Lease held = there.acquire();
        CompletableFuture<Lease> waiter = lock.acquireAsync(Duration.ofSeconds(2));
        processes.time.pass(Duration.ofSeconds(3));

        LockTimeoutException timeout = thrownBy(waiter, LockTimeoutException.class);
        assertThat(timeout.waited()).isEqualTo(Duration.ofSeconds(2));
        assertThat(timeout.lockInfo().orElseThrow().holders().get(0).token()).isEqualTo(held.token());
        assertThatThrownBy(() -> there.acquire(Duration.ZERO))
                .isInstanceOfSatisfying(
                        LockTimeoutException.class,
                        busy -> assertThat(busy.lockInfo()
                                        .orElseThrow()
                                        .holders()
                                        .get(0)
                                        .token())
                                .isEqualTo(held.token()));
    }

    @Test
    void lostLeaseSaysWhichTokenAndWhy() {
        DistributedLock limited = processes.here.lock(
                "limited",
                LockOptions.builder()
                        .leaseTime(Duration.ofSeconds(2))
                        .maxHold(Duration.ofSeconds(5))
                        .build());
        Lease lease = limited.acquire();
        processes.time.pass(Duration.ofSeconds(6));
        assertThatThrownBy(lease::ensureHeld).isInstanceOfSatisfying(LeaseLostException.class, lost -> {
            assertThat(lost.token()).isEqualTo(lease.token());
            assertThat(lost.reason()).isEqualTo(LeaseLostException.Reason.MAX_HOLD_REACHED);
        });

        Lease forced = lock.acquire();
        assertThat(processes.here.forceRelease("a", forced.token())).isTrue();
        assertThatThrownBy(forced::close)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LeaseLostException.Reason.FORCE_RELEASED));
        Lease closed = lock.acquire();
        closed.close();
        assertThatThrownBy(closed::ensureHeld)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LeaseLostException.Reason.RELEASED));
    }

    @Test
    void threadThatHoldsTheLockKnowsIt() throws InterruptedException {
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        lock.run(lease -> {
            assertThat(lock.isHeldByCurrentThread()).isTrue();
            assertThat(there.isHeldByCurrentThread()).isFalse();
            assertThat(there.isLocked()).isTrue();
        });
        Lease acquired = lock.acquire();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        Thread other = new Thread(() -> assertThat(lock.isHeldByCurrentThread()).isFalse());
        other.start();
        other.join();
        acquired.close();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
    }

    @Test
    void leaseIsCoveredByTheLockThatItWasAcquiredFrom() {
        DistributedReadWriteLock prices = processes.here.readWriteLock("prices");
        try (Lease lease = lock.acquire();
                Lease read = prices.readLock().acquire()) {
            assertThat(lock.covers(lease)).isTrue();
            assertThat(processes.here.lock("a").covers(lease)).isTrue();
            assertThat(processes.here.lock("b").covers(lease)).isFalse();
            assertThat(there.covers(lease)).as("another Holdfast").isFalse();
            assertThat(prices.readLock().covers(read)).isTrue();
            assertThat(prices.writeLock().covers(read)).isFalse();
            assertThat(prices.readLock().covers(lease)).isFalse();
        }
        prices.writeLock().run(write -> {
            assertThat(prices.readLock().covers(write)).isTrue();
            prices.readLock()
                    .run(nested -> assertThat(prices.writeLock().covers(nested)).isTrue());
        });
    }

    @Test
    void inspectionWithoutAThread() {
        try (Lease lease = lock.acquire()) {
            assertThat(there.inspectAsync().join().holders().get(0).token()).isEqualTo(lease.token());
        }
        assertThat(processes.here.semaphore("s", 2).inspectAsync().join().isFree())
                .isTrue();
    }

    // callAsync

    @Test
    void asynchronousBodyHoldsTheLockUntilItsStageCompletes() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> stage);
        processes.time.runCallbacks();
        assertThat(there.tryAcquire()).isEmpty();

        stage.complete("done");
        processes.time.runCallbacks();

        assertThat(result.join()).isEqualTo("done");
        assertThat(there.tryAcquire()).isPresent();
    }

    @Test
    void asynchronousBodyThatFailsReleasesTheLock() {
        assertThatThrownBy(() -> lock.callAsync(lease -> {
                            throw new IllegalStateException("no stage");
                        })
                        .join())
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lock.callAsync(lease -> CompletableFuture.failedFuture(new IOException("disk")))
                        .join())
                .hasCauseInstanceOf(IOException.class);
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void asynchronousBodyThatLosesItsLeaseFails() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> {
            processes.here.forceRelease("a", lease.token());
            return stage;
        });
        stage.complete("done");
        processes.time.runCallbacks();
        assertThat(thrownBy(result, LeaseLostException.class).reason())
                .isEqualTo(LeaseLostException.Reason.FORCE_RELEASED);
    }

    @Test
    void cancelledAsynchronousCallWithdrawsItsClaim() {
        Lease held = there.acquire();
        CompletableFuture<String> result = lock.callAsync(lease -> {
            throw new AssertionError("it was cancelled before");
        });
        result.cancel(true);
        processes.time.runCallbacks();
        assertThat(there.inspect().waiters()).isZero();
        held.close();
        processes.time.runCallbacks();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void cancelledAsynchronousBodyReleasesTheLockWhenItsStageEnds() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> notCancellable = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> stage.thenCombine(notCancellable, String::concat));
        CompletableFuture<String> stubborn = processes.here.lock("b").callAsync(lease -> new Stubborn(notCancellable));
        result.cancel(true);
        stubborn.cancel(true);
        processes.time.runCallbacks();

        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
        assertThat(lock.isLocked()).as("its stage was cancelled").isFalse();
        assertThat(processes.here.lock("b").isLocked()).as("its stage goes on").isTrue();
        notCancellable.complete("done");
        processes.time.runCallbacks();
        assertThat(processes.here.lock("b").isLocked()).isFalse();
    }

    /** A stage that ignores a cancellation. */
    private static final class Stubborn extends CompletableFuture<String> {

        Stubborn(CompletableFuture<String> source) {
            var unused = source.thenAccept(this::complete);
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            return false;
        }
    }

    private static <E extends Throwable> E thrownBy(CompletableFuture<?> future, Class<E> type) {
        Throwable thrown = future.handle((value, failure) -> failure).join();
        Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
        assertThat(thrown instanceof java.util.concurrent.CompletionException ? cause : thrown)
                .isInstanceOf(type);
        return type.cast(thrown instanceof java.util.concurrent.CompletionException ? cause : thrown);
    }
}
