package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a lease goes from one waiter to the next. */
class HandOffTest {

    private final String url = "memory:" + UUID.randomUUID();
    private final ManualTime time = new ManualTime();
    private final FaultyStore store = new FaultyStore(new MemoryStoreProvider().open(url, time.environment()));
    private final List<Holdfast> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Holdfast::close);
        store.close();
    }

    private Holdfast holdfast(int times, Duration slice) {
        Holdfast holdfast = Holdfast.builder(store)
                .environment(time.environment())
                .localHandOff(times, slice)
                .shutdownGrace(Duration.ZERO)
                .build();
        open.add(holdfast);
        return holdfast;
    }

    @Test
    void waitersOfOneProcessShareOneClaimAndItsTokens() {
        DistributedLock lock = holdfast(64, Duration.ofMillis(50)).lock("a");
        Lease lease = lock.acquire();
        List<CompletableFuture<Lease>> waiters = waiters(lock, 20);
        assertThat(store.acquires.get()).isEqualTo(1);

        long token = lease.token();
        for (CompletableFuture<Lease> waiter : waiters) {
            lease.close();
            time.runCallbacks();
            assertThat(waiter).isCompleted();
            lease = waiter.join();
            assertThat(lease.token()).isEqualTo(++token);
        }
        assertThat(store.acquires.get())
                .as("passed on without asking the store")
                .isEqualTo(1);
        assertThat(store.releases.get()).isZero();
        lease.close();
        assertThat(store.releases.get()).isEqualTo(1);
    }

    @Test
    void oneHandOffMeansStrictOrderAcrossProcesses() {
        DistributedLock here = holdfast(1, Duration.ofMillis(50)).lock("a");
        DistributedLock there = holdfast(1, Duration.ofMillis(50)).lock("a");
        Lease first = here.acquire();
        CompletableFuture<Lease> second = there.acquireAsync();
        CompletableFuture<Lease> third = here.acquireAsync();
        first.close();
        time.runCallbacks();

        assertThat(second).isCompleted();
        assertThat(third).isNotDone();
        second.join().close();
        time.runCallbacks();
        assertThat(third).isCompleted();
        third.join().close();
    }

    @Test
    void otherProcessesGetTheirTurnWhenTheSliceIsOver() {
        DistributedLock here = holdfast(64, Duration.ofMillis(50)).lock("a");
        DistributedLock there = holdfast(64, Duration.ofMillis(50)).lock("a");
        Lease first = here.acquire();
        CompletableFuture<Lease> remote = there.acquireAsync();
        CompletableFuture<Lease> local = here.acquireAsync();
        time.pass(Duration.ofMillis(51));
        first.close();
        time.runCallbacks();

        assertThat(remote).isCompleted();
        assertThat(local).isNotDone();
        remote.join().close();
    }

    @Test
    void waiterWithALongerLeaseGetsItByOneRenewal() {
        Holdfast holdfast = holdfast(64, Duration.ofMillis(50));
        Lease first = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiter =
                holdfast.lock("a", lease(Duration.ofSeconds(60))).acquireAsync();
        first.close();
        time.runCallbacks();

        assertThat(store.renewals.get()).isEqualTo(1);
        assertThat(store.acquires.get()).isEqualTo(1);
        assertThat(waiter.join().remaining()).isGreaterThan(Duration.ofSeconds(55));
        waiter.join().close();
    }

    @Test
    void waiterWithAShorterLeaseMakesAClaimOfItsOwn() {
        Holdfast holdfast = holdfast(64, Duration.ofMillis(50));
        Lease first = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiter =
                holdfast.lock("a", lease(Duration.ofSeconds(2))).acquireAsync();
        first.close();
        time.runCallbacks();

        assertThat(store.acquires.get()).isEqualTo(2);
        assertThat(waiter.join().remaining()).isLessThan(Duration.ofSeconds(2));
        waiter.join().close();
    }

    @Test
    void waiterWithoutRenewalGetsAWholeLease() {
        Holdfast holdfast = holdfast(64, Duration.ofSeconds(20));
        Lease first = holdfast.lock("a").acquire();
        time.pass(Duration.ofSeconds(3));
        CompletableFuture<Lease> waiter = holdfast.lock(
                        "a",
                        LockOptions.builder().renewal(LockOptions.Renewal.OFF).build())
                .acquireAsync();
        first.close();
        time.runCallbacks();

        assertThat(waiter.join().remaining()).isGreaterThan(Duration.ofMillis(9_800));
        waiter.join().close();
    }

    /** The renewal is executed, but its answer comes when the old lease is over: the claim must not stay behind. */
    @Test
    void grantWhoseRenewalIsAnsweredTooLateIsGivenBack() {
        Holdfast holdfast = holdfast(64, Duration.ofMillis(50));
        Lease first = holdfast.lock("a", lease(Duration.ofMillis(300))).acquire();
        CompletableFuture<Lease> waiter =
                holdfast.lock("a", lease(Duration.ofMinutes(10))).acquireAsync(Duration.ofSeconds(60));
        List<Runnable> late = holdBackAnswers();
        first.close();
        store.answers = answer -> answer;
        time.pass(Duration.ofMillis(400));
        late.forEach(Runnable::run);
        time.pass(Duration.ofSeconds(1));

        assertThat(waiter).isCompleted();
        waiter.join().close();
        assertThat(holdfast.lock("a").inspect().isFree()).isTrue();
    }

    /** A renewal without an answer may have lengthened the grant: its release is retried for as long as that lasts. */
    @Test
    void releaseAfterARenewalOfUnknownOutcomeIsRetriedForTheLongerLease() {
        Holdfast holdfast = holdfast(64, Duration.ofMillis(50));
        Lease first = holdfast.lock("a", lease(Duration.ofMillis(300))).acquire();
        CompletableFuture<Lease> waiter =
                holdfast.lock("a", lease(Duration.ofMinutes(10))).acquireAsync(Duration.ofSeconds(1));
        List<Runnable> lost = holdBackAnswers();
        first.close();
        assertThat(lost).as("the answer to the renewal").hasSize(1);
        store.answers = answer -> answer;
        store.down = true;
        time.pass(Duration.ofSeconds(2));
        assertThat(waiter).isCompletedExceptionally();
        store.down = false;
        time.pass(Duration.ofSeconds(2));

        assertThat(holdfast.lock("a").inspect().isFree()).isTrue();
    }

    @Test
    void handedOverLeaseIsKeptForHoldAtLeast() {
        Holdfast holdfast = holdfast(64, Duration.ofSeconds(20));
        DistributedLock there = holdfast(64, Duration.ofSeconds(20)).lock("a");
        Lease first = holdfast.lock("a").acquire();
        time.pass(Duration.ofSeconds(3));
        CompletableFuture<Lease> waiter = holdfast.lock(
                        "a",
                        LockOptions.builder()
                                .holdAtLeast(Duration.ofSeconds(10))
                                .build())
                .acquireAsync();
        first.close();
        time.runCallbacks();
        waiter.join().close();
        time.pass(Duration.ofMillis(9_900));

        assertThat(there.tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(101));
        assertThat(there.tryAcquire()).isPresent();
    }

    @Test
    void forceReleaseTakesTheLeaseThatIsMeantAndNoOther() {
        DistributedLock lock = holdfast(64, Duration.ofMillis(50)).lock("a");
        Lease first = lock.acquire();
        CompletableFuture<Lease> waiter = lock.acquireAsync();
        first.close();
        time.runCallbacks();
        Lease second = waiter.join();

        assertThat(lock.forceRelease(first.token())).as("the old token").isFalse();
        assertThat(second.state()).isEqualTo(LeaseState.HELD);
        assertThat(lock.inspect().holders().get(0).token())
                .as("inspection shows the token in use")
                .isEqualTo(second.token());
        assertThat(lock.forceRelease(lock.inspect().holders().get(0).token())).isTrue();
        assertThat(second.state()).isEqualTo(LeaseState.LOST);
        assertThat(lock.inspect().isFree()).isTrue();
    }

    /** While the grant is between two leases, nobody may take it from the one who is about to get it. */
    @Test
    void forceReleaseOfAnOldTokenDoesNotHitTheOneWhoIsAboutToGetIt() {
        Holdfast holdfast = holdfast(64, Duration.ofMillis(50));
        Lease first = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiter =
                holdfast.lock("a", lease(Duration.ofSeconds(60))).acquireAsync();
        List<Runnable> late = holdBackAnswers();
        first.close();
        store.answers = answer -> answer;

        assertThat(holdfast.lock("a").forceRelease(first.token())).isFalse();

        late.forEach(Runnable::run);
        time.runCallbacks();
        assertThat(waiter.join().state()).isEqualTo(LeaseState.HELD);
        assertThat(holdfast.lock("a").inspect().isFree()).isFalse();
        waiter.join().close();
    }

    /** A revocation that failed may still be executed: what it was meant for is not passed on any more. */
    @Test
    void leaseIsNotPassedOnAfterARevocationOfUnknownOutcome() {
        DistributedLock lock = holdfast(64, Duration.ofMillis(50)).lock("a");
        Lease first = lock.acquire();
        CompletableFuture<Lease> waiter = lock.acquireAsync();
        store.down = true;
        assertThatThrownBy(() -> lock.forceRelease(first.token())).isInstanceOf(StoreUnavailableException.class);
        store.down = false;
        first.close();
        time.runCallbacks();

        assertThat(store.acquires.get())
                .as("a new claim, with a new block of tokens")
                .isEqualTo(2);
        waiter.join().close();
    }

    private List<Runnable> holdBackAnswers() {
        List<Runnable> late = new ArrayList<>();
        store.answers = answer -> {
            CompletableFuture<Object> delayed = new CompletableFuture<>();
            late.add(() -> delayed.complete(answer.join()));
            return delayed;
        };
        return late;
    }

    private static LockOptions lease(Duration lease) {
        return LockOptions.builder().leaseTime(lease).build();
    }

    private static List<CompletableFuture<Lease>> waiters(DistributedLock lock, int count) {
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waiters.add(lock.acquireAsync());
        }
        return waiters;
    }
}
