package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several grants of one name in one process, and several readers on one grant. */
class SharedGrantsTest {

    /** Ten seconds less the margin for clocks that drift, which is 1 % and 2 ms, less a third of ten seconds. */
    private static final Duration UNTIL_A_THIRD_IS_LEFT =
            Duration.ofMillis(9_898).minusNanos(3_333_333_333L);

    private final TwoProcesses processes = new TwoProcesses();

    /** What must not be taken for forgotten. */
    private final List<Object> kept = new ArrayList<>();

    @AfterEach
    void close() {
        processes.close();
    }

    static List<List<Integer>> orders() {
        return List.of(
                List.of(0, 1, 2),
                List.of(0, 2, 1),
                List.of(1, 0, 2),
                List.of(1, 2, 0),
                List.of(2, 0, 1),
                List.of(2, 1, 0));
    }

    @ParameterizedTest
    @MethodSource("orders")
    void permitsAreReleasedInAnyOrderAndTheOthersStayHeld(List<Integer> order) {
        DistributedSemaphore permits = processes.here.semaphore("p", 3);
        List<Lease> leases = List.of(permits.acquire(), permits.acquire(), permits.acquire());
        List<Lease> held = new ArrayList<>(leases);
        for (int next : order) {
            Lease lease = leases.get(next);
            assertThat(lease.release()).isTrue();
            held.remove(lease);
            processes.time.pass(Duration.ofSeconds(30));
            assertThat(held).allMatch(each -> each.state() == LeaseState.HELD);
            assertThat(permits.inspect().holders())
                    .extracting(LockInfo.Holder::token)
                    .containsExactlyInAnyOrderElementsOf(
                            held.stream().map(Lease::token).toList());
        }
        assertThat(permits.inspect().isFree()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("orders")
    void readersOfOneGrantLeaveInAnyOrderAndTheLastReleasesIt(List<Integer> order) {
        DistributedReadWriteLock lock = processes.here.readWriteLock("rw");
        List<Lease> leases = List.of(
                lock.readLock().acquire(),
                lock.readLock().acquire(),
                lock.readLock().acquire());
        assertThat(processes.store.claims).hasSize(1);
        List<Lease> held = new ArrayList<>(leases);
        for (int next : order) {
            assertThat(processes.store.releases).hasValue(0);
            Lease lease = leases.get(next);
            assertThat(lease.release()).isTrue();
            held.remove(lease);
            processes.time.pass(Duration.ofSeconds(30));
            assertThat(held).allMatch(each -> each.state() == LeaseState.HELD);
        }
        assertThat(processes.store.releases).hasValue(1);
        assertThat(lock.inspect().isFree()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void forceReleaseEndsThePermitThatIsMeant(int meant) {
        DistributedSemaphore permits = processes.here.semaphore("p", 3);
        List<Lease> leases = List.of(permits.acquire(), permits.acquire(), permits.acquire());

        assertThat(permits.forceRelease(leases.get(meant).token())).isTrue();

        for (int i = 0; i < 3; i++) {
            assertThat(leases.get(i).state()).isEqualTo(i == meant ? LeaseState.LOST : LeaseState.HELD);
        }
    }

    @Test
    void forceReleaseOfATokenOfAnotherProcessEndsNothingHere() {
        DistributedSemaphore permits = processes.here.semaphore("p", 3);
        Lease here = permits.acquire();
        Lease there = processes.there.semaphore("p", 3).acquire();

        assertThat(permits.forceRelease(there.token())).isTrue();

        assertThat(here.state()).isEqualTo(LeaseState.HELD);
        assertThat(there.release()).isFalse();
    }

    @Test
    void inspectionShowsTheTokenInUseAndHowManyFollow() {
        DistributedLock lock = processes.here.lock("a");
        Lease first = lock.acquire();
        assertThat(lock.inspect().holders().get(0).tokenCount()).isEqualTo(64);
        CompletableFuture<Lease> second = lock.acquireAsync();
        first.close();
        processes.time.runCallbacks();

        LockInfo.Holder holder = lock.inspect().holders().get(0);
        assertThat(holder.token()).isEqualTo(second.join().token()).isEqualTo(first.token() + 1);
        assertThat(holder.tokenCount()).isEqualTo(63);
    }

    @Test
    void lastTokenOfABlockIsUsedAndThenTheStoreGivesAnother() {
        DistributedLock lock =
                processes.holdfast(processes.store, 2, event -> {}).lock("a");
        Lease first = lock.acquire();
        CompletableFuture<Lease> second = lock.acquireAsync();
        CompletableFuture<Lease> third = lock.acquireAsync();
        first.close();
        processes.time.runCallbacks();
        assertThat(second).isCompleted();
        assertThat(processes.store.claims).hasSize(1);
        assertThat(lock.forceRelease(second.join().token() + 1))
                .as("of no lease")
                .isFalse();
        second.join().close();
        processes.time.runCallbacks();

        assertThat(third).isCompleted();
        assertThat(processes.store.claims).hasSize(2);
        assertThat(third.join().token()).isGreaterThan(second.join().token());
    }

    @Test
    void attemptGoesToTheStoreAfterADowngradedGrantWasReleased() {
        DistributedReadWriteLock lock = processes.here.readWriteLock("rw");
        lock.writeLock().run(lease -> {
            // Inside the body of the writer the read lock outlives it: a downgrade.
            lock.asReadWriteLock().readLock().lock();
        });
        processes.time.pass(Duration.ofMillis(1));
        assertThat(lock.readLock().tryAcquire())
                .as("readers share it")
                .isPresent()
                .get()
                .satisfies(Lease::close);
        lock.asReadWriteLock().readLock().unlock();

        Lease writer = lock.writeLock().tryAcquire().orElseThrow();
        assertThat(lock.readLock().tryAcquire()).isEmpty();
        writer.close();
        assertThat(lock.readLock().tryAcquire()).isPresent();
    }

    @Test
    void longestHoldAtLeastOfTheReadersCounts() {
        assertThatWritersAreKeptOutFor(8, 2);
    }

    @Test
    void longestHoldAtLeastCountsWhicheverReaderLeavesLast() {
        assertThatWritersAreKeptOutFor(2, 8);
    }

    private void assertThatWritersAreKeptOutFor(int first, int second) {
        Lease one = reader(first);
        Lease two = reader(second);
        one.close();
        two.close();
        DistributedLock writer = processes.there.readWriteLock("rw").writeLock();

        processes.time.pass(Duration.ofMillis(7_900));
        assertThat(writer.tryAcquire()).isEmpty();
        processes.time.pass(Duration.ofMillis(200));
        assertThat(writer.tryAcquire()).isPresent();
    }

    private Lease reader(int holdAtLeastSeconds) {
        LockOptions options = LockOptions.builder()
                .holdAtLeast(Duration.ofSeconds(holdAtLeastSeconds))
                .build();
        return processes.here.readWriteLock("rw", options).readLock().acquire();
    }

    @Test
    void leaseThatHasToBeHeldLongerIsNotHandedOverInThisProcessEither() {
        LockOptions options =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();
        Lease first = processes.here.lock("a", options).acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        first.close();
        processes.time.pass(Duration.ofMillis(4_900));
        assertThat(waiter).isNotDone();
        processes.time.pass(Duration.ofMillis(200));

        assertThat(waiter).isCompleted();
    }

    @Test
    void leaseThatWasHeldLongEnoughIsHandedOver() {
        LockOptions options =
                LockOptions.builder().holdAtLeast(Duration.ofMillis(20)).build();
        Lease first = processes.here.lock("a", options).acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.time.pass(Duration.ofMillis(20));
        first.close();
        processes.time.runCallbacks();

        assertThat(waiter).isCompleted();
        assertThat(waiter.join().token()).isEqualTo(first.token() + 1);
        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void readerDoesNotShareAGrantOfWhichTooLittleIsLeft() {
        Holdfast patient = patient();
        kept.add(patient.readWriteLock("rw").readLock().acquire());
        processes.store.down = true;
        processes.time.pass(Duration.ofMillis(6_700));
        processes.store.down = false;

        kept.add(patient.readWriteLock("rw").readLock().acquire());

        assertThat(processes.store.claims).hasSize(2);
    }

    @Test
    void readerSharesAGrantOfWhichExactlyAThirdIsLeft() {
        Holdfast patient = patient();
        kept.add(patient.readWriteLock("rw").readLock().acquire());
        processes.store.down = true;
        processes.time.pass(UNTIL_A_THIRD_IS_LEFT);
        processes.store.down = false;

        kept.add(patient.readWriteLock("rw").readLock().acquire());

        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void readerThatHasToHoldLongerThanIsLeftDoesNotShare() {
        Holdfast patient = patient();
        kept.add(patient.readWriteLock("rw").readLock().acquire());
        processes.time.pass(Duration.ofSeconds(2));

        LockOptions longer =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(9)).build();
        kept.add(patient.readWriteLock("rw", longer).readLock().acquire());

        assertThat(processes.store.claims).hasSize(2);
    }

    @Test
    void readerWithAnotherLeaseTimeDoesNotShare() {
        Holdfast patient = patient();
        kept.add(patient.readWriteLock("rw").readLock().acquire());

        LockOptions other =
                LockOptions.builder().leaseTime(Duration.ofSeconds(20)).build();
        kept.add(patient.readWriteLock("rw", other).readLock().acquire());

        assertThat(processes.store.claims).hasSize(2);
    }

    @Test
    void readerDoesNotShareAGrantThatIsBeingReleasedByForce() {
        Holdfast patient = patient();
        DistributedReadWriteLock lock = patient.readWriteLock("rw");
        Lease first = lock.readLock().acquire();
        kept.add(first);
        CompletableFuture<Object> unanswered = new CompletableFuture<>();
        processes.store.answers = answer -> unanswered;
        CompletableFuture<Boolean> revoked =
                CompletableFuture.supplyAsync(() -> lock.readLock().forceRelease(first.token()));
        while (unanswered.getNumberOfDependents() == 0 && !revoked.isDone()) {
            Thread.onSpinWait();
        }
        processes.store.answers = answer -> answer;

        kept.add(lock.readLock().acquire());

        assertThat(processes.store.claims).hasSize(2);
        unanswered.complete(true);
        assertThat(revoked.join()).isTrue();
    }

    @Test
    void waiterIsServedByARenewalIfTooLittleIsLeftOfTheGrant() {
        assertThat(renewalsForTheNextWaiter(Duration.ofMillis(6_700))).isOne();
    }

    @Test
    void waiterIsServedAtOnceIfExactlyAThirdIsLeftOfTheGrant() {
        assertThat(renewalsForTheNextWaiter(UNTIL_A_THIRD_IS_LEFT)).isZero();
    }

    private int renewalsForTheNextWaiter(Duration held) {
        Holdfast patient = patient();
        Lease first = patient.lock("a").acquire();
        CompletableFuture<Lease> waiter = patient.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.time.pause(held);
        int before = processes.store.renewals.get();
        first.close();
        int renewals = processes.store.renewals.get() - before;
        processes.time.runCallbacks();
        assertThat(waiter).isCompleted();
        assertThat(processes.store.claims).hasSize(1);
        return renewals;
    }

    @Test
    void waiterThatHasToHoldLongerThanIsLeftIsServedByARenewal() {
        Holdfast patient = patient();
        Lease first = patient.lock("a").acquire();
        LockOptions longer =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(9)).build();
        CompletableFuture<Lease> waiter = patient.lock("a", longer).acquireAsync(LockOptions.FOREVER);
        processes.time.pass(Duration.ofSeconds(2));
        first.close();
        processes.time.runCallbacks();

        assertThat(waiter).isCompleted();
        assertThat(processes.store.renewals).hasValue(1);
        assertThat(waiter.join().remaining()).isGreaterThan(Duration.ofSeconds(9));
    }

    @Test
    void readerSharesAGrantOfWhichExactlyAsMuchIsLeftAsItHasToHold() {
        Holdfast patient = patient();
        LockOptions atLeast =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(9)).build();
        kept.add(patient.readWriteLock("rw").readLock().acquire());
        processes.time.pass(Duration.ofMillis(898));

        kept.add(patient.readWriteLock("rw", atLeast).readLock().acquire());

        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void waiterIsServedAtOnceIfExactlyAsMuchIsLeftAsItHasToHold() {
        Holdfast patient = patient();
        LockOptions atLeast =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(9)).build();
        Lease first = patient.lock("a").acquire();
        CompletableFuture<Lease> waiter = patient.lock("a", atLeast).acquireAsync(LockOptions.FOREVER);
        processes.time.pass(Duration.ofMillis(898));
        first.close();
        processes.time.runCallbacks();

        assertThat(processes.store.claims).hasSize(1);
        assertThat(waiter).isCompleted();
        assertThat(processes.store.renewals).hasValue(0);
    }

    @Test
    void onlyAReaderBehindAWriterIsReportedAsWaiting() {
        List<LockEvent> events = new ArrayList<>();
        Holdfast listening = processes.holdfast(processes.store, 64, events::add);
        kept.add(listening.readWriteLock("free").readLock().acquireAsync(LockOptions.FOREVER));
        kept.add(listening.readWriteLock("written").writeLock().acquire());
        kept.add(listening.readWriteLock("written").readLock().acquireAsync(LockOptions.FOREVER));
        processes.time.runCallbacks();

        assertThat(events)
                .filteredOn(event -> event.kind() == LockEvent.Kind.WAITING)
                .extracting(LockEvent::name)
                .containsExactly("written");
    }

    @Test
    void leaseIsNotHandedOverAnyMoreAtTheEndOfTheSlice() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> remote = processes.there.lock("a").acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> local = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.time.pass(Duration.ofMillis(50));
        first.close();
        processes.time.runCallbacks();

        assertThat(remote).isCompleted();
        assertThat(local).isNotDone();
    }

    /** Hands over and shares for a minute. */
    private Holdfast patient() {
        Holdfast patient = Holdfast.builder(processes.store)
                .environment(processes.time.environment())
                .localHandOff(64, Duration.ofMinutes(1))
                .shutdownGrace(Duration.ZERO)
                .build();
        kept.add(patient);
        return patient;
    }
}
