package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.testing.TwoProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
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
            CompletableFuture<LockInfo> info = there.inspectAsync();
            processes.time.runCallbacks();
            assertThat(info.join().holders().get(0).token()).isEqualTo(lease.token());
        }
        CompletableFuture<LockInfo> free = processes.here.semaphore("s", 2).inspectAsync();
        processes.time.runCallbacks();
        assertThat(free.join().isFree()).isTrue();
        processes.storeThere.down = true;
        CompletableFuture<LockInfo> failed = there.inspectAsync();
        processes.time.runCallbacks();
        assertThat(thrownBy(failed, StoreUnavailableException.class).lockName()).isEqualTo("a");
        processes.storeThere.down = false;
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
        CompletableFuture<String> noStage = lock.callAsync(lease -> {
            throw new IllegalStateException("no stage");
        });
        processes.time.runCallbacks();
        assertThatThrownBy(noStage::join).hasCauseInstanceOf(IllegalStateException.class);
        CompletableFuture<String> failed =
                lock.callAsync(lease -> CompletableFuture.failedFuture(new IOException("disk")));
        processes.time.runCallbacks();
        assertThatThrownBy(failed::join).hasCauseInstanceOf(IOException.class);
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void asynchronousBodyThatLosesItsLeaseFails() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> {
            processes.here.forceRelease("a", lease.token());
            return stage;
        });
        processes.time.runCallbacks();
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

    /** To complete a future stops no work. */
    @Test
    void lockIsHeldUntilTheStageCompletesWhateverHappensToTheResult() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> stage);
        processes.time.runCallbacks();
        result.cancel(true);
        processes.time.runCallbacks();

        assertThatThrownBy(result::join).isInstanceOf(CancellationException.class);
        assertThat(stage).isNotDone();
        assertThat(there.tryAcquire()).isEmpty();
        stage.complete("done");
        processes.time.runCallbacks();
        assertThat(there.tryAcquire()).isPresent();
    }

    @Test
    void asynchronousBodyRunsOnTheExecutor() {
        AtomicBoolean ran = new AtomicBoolean();
        CompletableFuture<String> result = lock.callAsync(lease -> {
            ran.set(true);
            return CompletableFuture.completedFuture("done");
        });
        assertThat(ran).as("on the calling thread").isFalse();
        processes.time.runCallbacks();
        assertThat(result).isCompletedWithValue("done");
    }

    private static <E extends Throwable> E thrownBy(CompletableFuture<?> future, Class<E> type) {
        Throwable thrown = future.handle((value, failure) -> failure).join();
        Throwable cause = thrown.getCause() == null ? thrown : thrown.getCause();
        assertThat(thrown instanceof java.util.concurrent.CompletionException ? cause : thrown)
                .isInstanceOf(type);
        return type.cast(thrown instanceof java.util.concurrent.CompletionException ? cause : thrown);
    }
}
