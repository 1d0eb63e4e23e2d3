package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Critical sections under several locks, and what a thread may enter again inside of them. */
class LockSetReentryTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final Holdfast here = processes.here;
    private final LockSet set = here.lockSet("a", "b");

    @AfterEach
    void close() {
        processes.close();
    }

    private boolean isFree() {
        return here.inspect("", 10).isEmpty();
    }

    @Test
    void bodyRunsUnderAllLocks() {
        long sum = set.call(both -> {
            assertThat(both.isHeld()).isTrue();
            assertThat(processes.there.lock("a").tryAcquire()).isEmpty();
            assertThat(processes.there.lock("b").tryAcquire()).isEmpty();
            return both.lease("a").token() + both.lease("b").token();
        });
        assertThat(sum).isPositive();
        assertThat(isFree()).isTrue();
    }

    @Test
    void attemptRunsNothingIfOneLockIsHeld() {
        Lease held = processes.there.lock("b").acquire();
        assertThat(set.tryRun(both -> {})).isFalse();
        assertThat(set.tryCall(both -> "not run")).isEmpty();
        held.close();
        assertThat(set.tryCall(both -> "run")).contains("run");
        assertThat(isFree()).isTrue();
    }

    @Test
    void setAndItsPartsAreEnteredAgain() {
        set.run(outer -> {
            here.lock("a")
                    .run(inner ->
                            assertThat(inner.token()).isEqualTo(outer.lease("a").token()));
            here.lockSet("b").run(inner -> assertThat(inner.names()).containsExactly("b"));
            here.lockSet("b", "a").run(inner -> {
                assertThat(inner.lease("a").token()).isEqualTo(outer.lease("a").token());
                inner.close();
                assertThat(inner.isHeld()).as("the outer call releases it").isTrue();
            });
            assertThat(here.lock("b").isHeldByCurrentThread()).isTrue();
            assertThat(outer.isHeld()).isTrue();
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void setWithALockThatIsHeldAndOneThatIsNotWouldDeadlockWithItself() {
        here.lock("b").run(held -> {
            assertThatThrownBy(() -> set.run(both -> {})).isInstanceOf(SelfDeadlockException.class);
            assertThat(set.tryRun(both -> {})).isFalse();
        });
        assertThat(isFree()).isTrue();
    }

    @Test
    void lockInsideTheBodyThatIsNotUnlockedKeepsItsLease() {
        Lock lock = here.lock("a").asLock();
        set.run(both -> lock.lock());
        assertThat(processes.there.lock("a").tryAcquire()).isEmpty();
        assertThat(processes.there.lock("b").tryAcquire()).isPresent();
        lock.unlock();
        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void lossOfOneLockIsThrownAtTheEnd() {
        assertThatThrownBy(() ->
                        set.run(both -> here.forceRelease("b", both.lease("b").token())))
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.lockName()).isEqualTo("b"));
        assertThatThrownBy(() -> set.run(both -> {
                    here.forceRelease("a", both.lease("a").token());
                    set.run(again -> {});
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(isFree()).isTrue();
    }

    @Test
    void asynchronousBodyHoldsAllLocksUntilItsStageCompletes() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> result = set.callAsync(both -> stage);
        processes.time.runCallbacks();
        assertThat(here.inspect("", 10)).hasSize(2);
        stage.complete("done");
        processes.time.runCallbacks();
        assertThat(result.join()).isEqualTo("done");
        assertThat(isFree()).isTrue();
    }

    @Test
    void lossOfOneLockDoesNotKeepTheOthers() {
        Lock first = here.lock("a").asLock();
        Lock second = here.lock("b").asLock();
        first.lock();
        second.lock();
        assertThatThrownBy(() -> set.run(both -> {
                    first.unlock();
                    second.unlock();
                    here.forceRelease("b", both.lease("b").token());
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(here.localLocks().held()).isEmpty();
    }

    @Test
    void timedAttemptWithoutAThread() {
        Lease held = processes.there.lock("b").acquire();
        var attempt = set.tryAcquireAsync(Duration.ofSeconds(2));
        processes.time.pass(Duration.ofSeconds(3));
        assertThat(attempt.join()).isEmpty();
        held.close();
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(isFree()).isTrue();
    }
}
