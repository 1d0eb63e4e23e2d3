package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread that is inside a lock asks for it again: in the same form, in another form, after a release, after a loss. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class ReentryTest {

    /** So long that a test which waits it out has failed long before. */
    private static final Duration LONG = Duration.ofHours(1);

    private final ManualTime time = new ManualTime();
    private final Holdfast holdfast = Holdfast.builder("memory:")
            .environment(time.environment())
            .defaults(LockOptions.builder().renewal(LockOptions.Renewal.OFF).build())
            .build();
    private final DistributedLock lock = holdfast.lock("x");

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void acquireInsideRunFailsAtOnce() {
        lock.run(lease -> {
            assertSelfDeadlock(() -> lock.acquire(LONG));
            assertSelfDeadlock(() -> holdfast.lock("x").tryAcquire(LONG));
            assertThat(lock.tryAcquire()).isEmpty();
            assertThatThrownBy(() -> lock.acquire(Duration.ZERO))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("held by this thread");
        });
        assertThat(lock.tryRun(lease -> {})).isTrue();
    }

    @Test
    void acquireInsideAsLockFailsAtOnce() {
        Lock classic = lock.asLock();
        classic.lock();
        try {
            assertSelfDeadlock(() -> lock.acquire(LONG));
        } finally {
            classic.unlock();
        }
    }

    @Test
    void readLockInsideTheWriteLockFailsAtOnceIfItIsNotReentrant() {
        DistributedReadWriteLock both = holdfast.readWriteLock("rw");
        both.writeLock().run(lease -> {
            assertSelfDeadlock(() -> both.readLock().acquire(LONG));
            assertThat(both.readLock().tryRun(inner -> {})).isTrue();
        });
        both.readLock()
                .run(lease -> both.readLock().acquire(Duration.ofSeconds(1)).close());
    }

    @Test
    void lockAllInsideRunFailsBeforeItAcquiresAnything() {
        lock.run(lease -> {
            assertSelfDeadlock(() -> holdfast.lockSet("a", "x").acquire(LONG));
            assertSelfDeadlock(() -> holdfast.lockSet("a", "x").tryAcquire(LONG));
            assertThat(holdfast.lockSet("a", "x").tryAcquire()).isEmpty();
            assertThatThrownBy(() -> holdfast.lockSet("a", "x").acquire(Duration.ZERO))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("'x'");
            assertThat(holdfast.inspect("a", 1)).isEmpty();
        });
    }

    @Test
    void futureThatIsAskedForInsideRunCompletesAfterwards() {
        CompletableFuture<Lease> next = lock.call(lease -> lock.acquireAsync(LONG));
        time.runCallbacks();

        assertThat(next).isCompleted();
        next.join().close();
    }

    @Test
    void leaseThatTheThreadAcquiredAndMayPassOnIsWaitedFor() throws Exception {
        try (Holdfast real = Holdfast.connect("memory:")) {
            Lease lease = real.lock("x").acquire();
            CompletableFuture<Boolean> elsewhere = CompletableFuture.supplyAsync(lease::release);

            real.lock("x").acquire(Duration.ofSeconds(20)).close();

            assertThat(elsewhere.get(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void runAfterAnEarlyReleaseAcquiresAgain() {
        lock.run(first -> {
            assertThat(first.release()).isTrue();
            lock.run(second -> {
                assertThat(second.token()).isGreaterThan(first.token());
                lock.run(third -> assertThat(third.token()).isEqualTo(second.token()));
                assertThat(lock.requireHeld().token()).isEqualTo(second.token());
            });
            assertThat(lock.tryRun(second -> assertThat(second.token()).isGreaterThan(first.token())))
                    .isTrue();
            assertThat(lock.asLock().tryLock()).isTrue();
            assertThat(lock.requireHeld().state()).isEqualTo(LeaseState.HELD);
            lock.asLock().unlock();
            assertThatThrownBy(lock::requireHeld).isInstanceOf(IllegalMonitorStateException.class);
        });
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void tryRunAfterAnEarlyReleaseAnswersNoIfAnotherHasTheLock() {
        lock.run(lease -> {
            lease.release();
            Lease others = lock.acquireAsync().join();
            assertThat(lock.tryRun(inner -> {})).isFalse();
            assertThat(lock.asLock().tryLock()).isFalse();
            others.close();
        });
    }

    @Test
    void unlockAfterAnEarlyReleaseFindsTheEntryThatItBelongsTo() {
        Lock classic = lock.asLock();
        lock.run(lease -> {
            classic.lock();
            lease.release();
            classic.lock();
            assertThat(lock.inspect().isFree()).isFalse();
            classic.unlock();
            assertThat(lock.inspect().isFree()).isTrue();
            classic.unlock();
            assertThatThrownBy(classic::unlock).isInstanceOf(IllegalMonitorStateException.class);
        });
        assertThat(lock.tryRun(lease -> {})).isTrue();
    }

    @Test
    void unlockInsideALaterBodyFindsTheEntryThatItBelongsTo() {
        Lock classic = lock.asLock();
        lock.run(first -> {
            classic.lock();
            first.release();
            lock.run(second -> {
                classic.unlock();
                assertThat(second.state()).isEqualTo(LeaseState.HELD);
            });
        });
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void lockThatIsNotUnlockedInsideABodyWithAnEarlyReleaseStaysTheThreads() {
        Lock classic = lock.asLock();
        lock.run(lease -> {
            lease.release();
            classic.lock();
        });
        assertThat(lock.inspect().isFree()).isFalse();
        classic.unlock();
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @Test
    void afterALossTheTryingFormsAnswerNoAndTheOthersThrow() throws Exception {
        Lock classic = lock.asLock();
        classic.lock();
        time.pass(Duration.ofSeconds(11));

        assertThat(classic.tryLock()).isFalse();
        assertThat(classic.tryLock(1, TimeUnit.HOURS)).isFalse();
        assertThat(lock.tryRun(lease -> {})).isFalse();
        assertThatThrownBy(classic::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.run(lease -> {})).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(classic::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(classic.tryLock()).isTrue();
        classic.unlock();
    }

    @Test
    void acquireAfterALossWaitsForTheEndOfTheLostLease() {
        assertThatThrownBy(() -> lock.run(lease -> {
                    time.pass(Duration.ofSeconds(11));
                    assertThat(lease.state()).isEqualTo(LeaseState.LOST);
                    lock.acquire(Duration.ofSeconds(1)).close();
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    private static void assertSelfDeadlock(Runnable acquisition) {
        assertThatThrownBy(acquisition::run)
                .isInstanceOf(HoldfastException.class)
                .isNotInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("Self-deadlock")
                .hasMessageContaining(Thread.currentThread().getName());
    }
}
