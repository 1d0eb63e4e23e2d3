package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.RefusedException;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The local queue of a name: which claims it sends to the store, and when. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class LocalQueueTest {

    private static final LockOptions TWO_SECONDS =
            LockOptions.builder().leaseTime(Duration.ofSeconds(2)).build();

    private final TwoProcesses processes = new TwoProcesses();

    /** What must not be taken for forgotten. */
    private final List<Object> kept = new ArrayList<>();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void waiterBehindALeaseThatIsFoundToBeLostQueuesInTheStoreAtOnce() {
        Lease lost = processes.here.lock("a", TWO_SECONDS).acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        // No timer fires: the first to see it is the caller of state().
        processes.time.pause(Duration.ofSeconds(3));

        assertThat(lost.state()).isEqualTo(LeaseState.LOST);

        assertThat(processes.store.claims).hasSize(2);
        processes.time.runCallbacks();
        assertThat(waiter).isCompleted();
        waiter.join().close();
    }

    @Test
    void newcomerBehindALeaseThatIsOverDoesNotWaitForTheTimer() {
        Lease lost = processes.here.lock("a", TWO_SECONDS).acquire();
        processes.time.pause(Duration.ofSeconds(3));

        Optional<Lease> newcomer = processes.here.lock("a").tryAcquire();

        assertThat(newcomer).isPresent();
        assertThat(newcomer.orElseThrow().token()).isGreaterThan(lost.token());
        assertThat(lost.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void waiterBehindALeaseThatIsReleasedByForceQueuesInTheStoreAtOnce() {
        Lease revoked = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);

        assertThat(processes.here.lock("a").forceRelease(revoked.token())).isTrue();

        assertThat(processes.store.claims).hasSize(2);
        processes.time.runCallbacks();
        assertThat(waiter).isCompleted();
        assertThat(waiter.join().token()).isGreaterThan(revoked.token());
    }

    @Test
    void grantThatCrossesACancellationIsReleased() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.store.answers = answer -> answer;
        waiter.cancel(false);
        int released = processes.store.releases.get();
        assertThat(released).as("the claim is withdrawn").isPositive();

        withheld.forEach(Runnable::run);

        assertThat(processes.store.releases)
                .as("and released once it is granted")
                .hasValue(released + 1);
        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void refusalThatCrossesACancellationIsNotReleasedAgain() {
        kept.add(processes.there.lock("a").acquire());
        List<Runnable> withheld = withhold();
        CompletableFuture<Optional<Lease>> attempt = processes.here.lock("a").tryAcquireAsync();
        processes.store.answers = answer -> answer;
        attempt.cancel(false);
        int released = processes.store.releases.get();

        withheld.forEach(Runnable::run);

        assertThat(processes.store.releases).hasValue(released);
    }

    @Test
    void waiterBehindACancelledAttemptIsServed() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Optional<Lease>> attempt = processes.here.lock("a").tryAcquireAsync();
        processes.store.answers = answer -> answer;
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        assertThat(processes.store.claims)
                .as("the attempt may get all there is")
                .hasSize(1);

        attempt.cancel(false);
        processes.time.runCallbacks();
        withheld.forEach(Runnable::run);
        processes.time.pass(Duration.ofSeconds(1));

        assertThat(waiter).isCompleted();
        waiter.join().close();
    }

    @Test
    void attemptIsRefusedWithoutTheStoreWhileThisProcessHoldsTheLock() {
        Lease lease = processes.here.lock("a").acquire();

        assertThat(processes.here.lock("a").tryAcquire()).isEmpty();

        assertThat(processes.store.claims).hasSize(1);
        lease.close();
    }

    @Test
    void secondAttemptIsRefusedWhileTheFirstMayGetTheLock() {
        withhold();
        kept.add(processes.here.lock("a").tryAcquireAsync());

        CompletableFuture<Optional<Lease>> second = processes.here.lock("a").tryAcquireAsync();
        processes.time.runCallbacks();

        assertThat(second).isCompletedWithValue(Optional.empty());
        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void attemptOfAWriterIsRefusedWithoutTheStoreWhileThisProcessReads() {
        kept.add(processes.here.readWriteLock("rw").readLock().acquire());

        assertThat(processes.here.readWriteLock("rw").writeLock().tryAcquire()).isEmpty();

        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void attemptOfAReaderIsRefusedWithoutTheStoreWhileThisProcessWrites() {
        kept.add(processes.here.readWriteLock("rw").writeLock().acquire());

        assertThat(processes.here.readWriteLock("rw").readLock().tryAcquire()).isEmpty();

        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void attemptAtAPermitIsSentAlthoughThisProcessHasOthers() {
        DistributedSemaphore permits = processes.here.semaphore("p", 3);
        Lease one = permits.acquire();

        Lease two = permits.tryAcquire().orElseThrow();

        assertThat(two.token()).isNotEqualTo(one.token());
        assertThat(processes.store.claims).hasSize(2);
        one.close();
        two.close();
    }

    @Test
    void attemptThatFailsIsWithdrawnBecauseItMayBeExecutedLater() {
        processes.store.failures = name -> new IllegalStateException("no answer");

        assertThatThrownBy(() -> processes.here.lock("a").tryAcquire()).isInstanceOf(StoreUnavailableException.class);

        assertThat(processes.store.releases).hasValue(1);
    }

    @Test
    void attemptThatIsRefusedIsNotReleased() {
        kept.add(processes.there.lock("a").acquire());

        assertThat(processes.here.lock("a").tryAcquire()).isEmpty();

        assertThat(processes.store.releases).hasValue(0);
    }

    @Test
    void attemptWhoseAnswerTakesLongerThanTheLeaseFailsAndIsReleased() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Optional<Lease>> attempt =
                processes.here.lock("a", TWO_SECONDS).tryAcquireAsync();
        processes.store.answers = answer -> answer;
        processes.time.pause(Duration.ofSeconds(3));
        withheld.forEach(Runnable::run);
        processes.time.runCallbacks();

        assertThat(attempt).isCompletedExceptionally();
        assertThatThrownBy(attempt::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasStackTraceContaining("the answer took longer than the lease");
        assertThat(processes.store.releases).hasValue(1);
        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void attemptThatIsAnsweredDuringTheShutdownIsReleasedAndFails() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Optional<Lease>> attempt = processes.here.lock("a").tryAcquireAsync();
        processes.store.answers = answer -> answer;
        processes.here.close();
        withheld.forEach(Runnable::run);
        processes.time.runCallbacks();

        assertThat(attempt).isCompletedExceptionally();
        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    /** Only a deadline that is still to come is worth a lease. */
    @Test
    void attemptThatIsAnsweredAtItsDeadlineFails() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Optional<Lease>> attempt =
                processes.here.lock("a", TWO_SECONDS).tryAcquireAsync();
        processes.store.answers = answer -> answer;
        // Two seconds less the margin for clocks that drift: 1 % and 2 ms.
        processes.time.pause(Duration.ofMillis(1_978));
        withheld.forEach(Runnable::run);
        processes.time.runCallbacks();

        assertThat(attempt).isCompletedExceptionally();
        assertThat(processes.store.releases).hasValue(1);
    }

    @Test
    void cancelledAttemptIsWithdrawnAtOnce() {
        withhold();
        CompletableFuture<Optional<Lease>> attempt = processes.here.lock("a").tryAcquireAsync();
        processes.store.answers = answer -> answer;

        attempt.cancel(false);

        assertThat(processes.store.releases).hasValue(1);
        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    /** The shutdown withdraws one attempt after the other; meanwhile the store answers those that are still to come. */
    @Test
    void attemptsThatAreAnsweredWhileOthersAreWithdrawnLeaveNothingBehind() {
        List<Runnable> withheld = withhold();
        List<CompletableFuture<Optional<Lease>>> attempts = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            attempts.add(processes.here.lock(name).tryAcquireAsync());
        }
        processes.store.answers = answer -> {
            List<Runnable> now = List.copyOf(withheld);
            withheld.clear();
            now.forEach(Runnable::run);
            return answer;
        };
        processes.here.close();
        processes.time.runCallbacks();

        assertThat(attempts).allMatch(CompletableFuture::isCompletedExceptionally);
        for (String name : List.of("a", "b", "c")) {
            assertThat(processes.there.lock(name).tryAcquire()).isPresent();
        }
    }

    @Test
    void grantThatTookLongerThanTheLeaseIsReleasedAndTheClaimIsSentAnew() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Lease> waiter = processes.here.lock("a", TWO_SECONDS).acquireAsync(LockOptions.FOREVER);
        processes.store.answers = answer -> answer;
        processes.time.pause(Duration.ofSeconds(3));
        withheld.forEach(Runnable::run);

        assertThat(processes.store.releases).as("what is over is released").hasValue(1);
        assertThat(processes.store.claims).as("not without a pause").hasSize(1);
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(processes.store.claims).hasSize(2);
        assertThat(processes.store.claims.get(1).id())
                .as("another claim")
                .isNotEqualTo(processes.store.claims.get(0).id());
        assertThat(waiter).isCompleted();
    }

    @Test
    void grantThatIsAnsweredAtItsDeadlineIsNotRequestedAgainWithoutAPause() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Lease> waiter = processes.here.lock("a", TWO_SECONDS).acquireAsync(LockOptions.FOREVER);
        processes.store.answers = answer -> answer;
        processes.time.pause(Duration.ofMillis(1_978));
        withheld.forEach(Runnable::run);

        assertThat(processes.store.releases).hasValue(1);
        assertThat(processes.store.claims).hasSize(1);
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(waiter).isCompleted();
    }

    @Test
    void waiterBehindOneThatTheStoreRefusesHasAClaimOfItsOwn() {
        CompletableFuture<Object> answered = new CompletableFuture<>();
        processes.store.answers = answer -> answered;
        CompletableFuture<Lease> first = processes.there.lock("a").acquireAsync();
        kept.add(first);
        CompletableFuture<Lease> refused = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> next = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.store.answers = answer -> answer;
        assertThat(processes.store.claims).hasSize(1);

        answered.completeExceptionally(new RefusedException("not this one"));
        processes.time.runCallbacks();

        assertThat(refused).isCompletedExceptionally();
        assertThat(processes.store.claims).hasSize(2);
        assertThat(next).isNotDone();
    }

    @Test
    void claimThatKeepsFailingIsReportedOnce() {
        List<LockEvent> events = new ArrayList<>();
        Holdfast listening = processes.holdfast(processes.store, 64, events::add);
        processes.store.down = true;
        CompletableFuture<Lease> waiter = listening.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.time.runCallbacks();
        assertThat(events)
                .extracting(LockEvent::kind)
                .containsExactly(LockEvent.Kind.REQUESTED, LockEvent.Kind.ACQUIRE_FAILED);
        processes.time.pass(Duration.ofSeconds(5));
        assertThat(processes.store.claims).hasSizeGreaterThan(3);
        assertThat(events).hasSize(2);
        processes.store.down = false;
        processes.time.pass(Duration.ofSeconds(2));

        assertThat(waiter).isCompleted();
    }

    @Test
    void grantThatComesTooLateForAWaiterThatGaveUpIsReleasedOnly() {
        List<Runnable> withheld = withhold();
        CompletableFuture<Lease> waiter = processes.here.lock("a", TWO_SECONDS).acquireAsync(LockOptions.FOREVER);
        processes.store.answers = answer -> answer;
        processes.time.pause(Duration.ofSeconds(3));
        waiter.cancel(false);
        withheld.forEach(Runnable::run);
        processes.time.pass(Duration.ofMinutes(1));

        assertThat(processes.store.claims).hasSize(1);
        assertThat(processes.time.timers()).as("nothing is left to do").isZero();
    }

    @Test
    void localWriterBehindADowngradeQueuesInTheStoreAtOnce() {
        ReadWriteLock classic = processes.here.readWriteLock("a").asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        CompletableFuture<Lease> writer =
                processes.here.readWriteLock("a").writeLock().acquireAsync(LockOptions.FOREVER);
        assertThat(processes.store.claims).hasSize(1);

        classic.writeLock().unlock();

        assertThat(processes.store.claims)
                .as("what it waits for is no longer at hand")
                .hasSize(2);
        processes.time.pass(Duration.ofMillis(1));
        assertThat(writer).isNotDone();
        classic.readLock().unlock();
        processes.time.runCallbacks();
        assertThat(writer).isCompleted();
    }

    @Test
    void localReadersBehindAWriterShareItsGrantAfterTheDowngrade() {
        DistributedReadWriteLock lock = processes.here.readWriteLock("a");
        ReadWriteLock classic = lock.asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        long token = lock.readLock().requireHeld().token();
        CompletableFuture<Lease> first = lock.readLock().acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> second = lock.readLock().acquireAsync(LockOptions.FOREVER);

        classic.writeLock().unlock();
        processes.time.runCallbacks();

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(first.join().token()).isEqualTo(token);
        assertThat(second.join().token()).isEqualTo(token);
        assertThat(processes.store.claims).as("without a claim of their own").hasSize(1);
        classic.readLock().unlock();
        assertThat(processes.there.readWriteLock("a").writeLock().tryAcquire()).isEmpty();
        first.join().close();
        second.join().close();
        assertThat(processes.there.readWriteLock("a").writeLock().tryAcquire()).isPresent();
    }

    @Test
    void downgradeOfALostWriterDoesNotRenewIt() {
        DistributedReadWriteLock lock = processes.here.readWriteLock("a", TWO_SECONDS);
        ReadWriteLock classic = lock.asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        Lease lease = lock.writeLock().requireHeld();
        processes.time.pause(Duration.ofSeconds(3));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        int renewals = processes.store.renewals.get();

        classic.writeLock().unlock();
        processes.time.pass(Duration.ofSeconds(1));

        assertThat(processes.store.renewals).hasValue(renewals);
        assertThatThrownBy(() -> classic.readLock().unlock()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void waiterThatWantsLessThanTheOneBeforeItHasAClaimForLess() {
        kept.add(processes.there.semaphore("p", 3).acquire());
        DistributedSemaphore permits = processes.here.semaphore("p", 3);
        CompletableFuture<Lease> all = permits.withPermits(3).acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> one = permits.acquireAsync(LockOptions.FOREVER);
        assertThat(processes.store.claims).hasSize(1);

        all.cancel(false);
        processes.time.runCallbacks();

        assertThat(processes.store.claims).extracting(claim -> claim.units()).containsExactly(3, 1);
        assertThat(processes.store.releases)
                .as("the claim for three is withdrawn")
                .hasValue(1);
        assertThat(one).isCompleted();
    }

    @Test
    void claimIsKeptForTheNextWaiterThatWantsAsMuch() {
        kept.add(processes.there.lock("a").acquire());
        CompletableFuture<Lease> first = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> second = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);

        first.cancel(false);

        assertThat(processes.store.claims)
                .as("its place in the store's queue is kept")
                .hasSize(1);
        assertThat(processes.store.releases).hasValue(0);
        second.cancel(false);
        assertThat(processes.store.releases)
                .as("withdrawn with the last waiter")
                .hasValue(1);
    }

    @Test
    void grantsOfSeveralPermitsAreRequestedOneAfterTheOther() {
        DistributedSemaphore permits = processes.here.semaphore("p", 2);
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiters.add(permits.acquireAsync(LockOptions.FOREVER));
        }
        processes.time.runCallbacks();

        assertThat(waiters.get(0)).isCompleted();
        assertThat(waiters.get(1)).isCompleted();
        assertThat(waiters.get(2)).isNotDone();
        assertThat(processes.store.claims).hasSize(3);
        waiters.get(1).join().close();
        processes.time.runCallbacks();
        assertThat(waiters.get(2)).isCompleted();
    }

    private List<Runnable> withhold() {
        List<Runnable> withheld = new ArrayList<>();
        processes.store.answers = answer -> {
            CompletableFuture<Object> late = new CompletableFuture<>();
            withheld.add(() -> late.complete(answer.join()));
            return late;
        };
        return withheld;
    }
}
