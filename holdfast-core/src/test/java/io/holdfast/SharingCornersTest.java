package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Grant;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Corners where kinds, threads and options meet. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class SharingCornersTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final DistributedReadWriteLock here = processes.here.readWriteLock("prices");
    private final DistributedReadWriteLock there = processes.there.readWriteLock("prices");

    /** What must not be taken for forgotten. */
    private final List<Object> kept = new ArrayList<>();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void readerBodyInsideWriteLockSurvivesUnlockOfTheWriter() {
        ReadWriteLock classic = here.asReadWriteLock();
        classic.writeLock().lock();
        here.readLock().run(lease -> {
            classic.writeLock().unlock();
            assertThat(lease.state()).as("reader's body is still running").isEqualTo(LeaseState.HELD);
            assertThat(there.writeLock().tryAcquire())
                    .as("writer beside a reader")
                    .isEmpty();
        });
    }

    @Test
    void readLockTakenInsideWriteCallIsKeptAfterIt() {
        ReadWriteLock classic = here.asReadWriteLock();
        here.writeLock().run(lease -> classic.readLock().lock());
        assertThat(there.writeLock().tryAcquire())
                .as("this thread locked the read side and did not unlock")
                .isEmpty();
        classic.readLock().unlock();
    }

    @Test
    void holdAtLeastIsKeptWhenAGhostEndsLast() {
        Holdfast wide = Holdfast.builder(processes.store)
                .environment(processes.time.environment())
                .localHandOff(64, Duration.ofMinutes(1))
                .shutdownGrace(Duration.ZERO)
                .build();
        LockOptions base = LockOptions.defaults();
        Lease c = wide.readWriteLock("prices", base).readLock().acquire();
        Lease a = wide.readWriteLock(
                        "prices",
                        base.toBuilder().maxHold(Duration.ofSeconds(10)).build())
                .readLock()
                .acquire();
        processes.time.pass(Duration.ofSeconds(7));
        Lease b = wide.readWriteLock(
                        "prices",
                        base.toBuilder().holdAtLeast(Duration.ofSeconds(8)).build())
                .readLock()
                .acquire();
        assertThat(b.token()).as("shared").isEqualTo(a.token());
        c.close();
        processes.time.pass(Duration.ofMillis(3_500));
        assertThat(a.state()).isEqualTo(LeaseState.LOST);
        assertThat(b.state()).isEqualTo(LeaseState.HELD);
        b.close(); // at 10.5 s: to be kept until 15 s
        assertThat(there.writeLock().tryAcquire()).as("before the ghost ends").isEmpty();
        assertThatThrownBy(a::close).isInstanceOf(LeaseLostException.class);
        var early = there.writeLock().tryAcquire();
        wide.close();
        assertThat(early).as("at 10.5 s; holdAtLeast says 15 s").isEmpty();
    }

    @Test
    void readerWithoutRenewalIsOverAfterItsLeaseTime() {
        LockOptions off = LockOptions.builder().renewal(LockOptions.Renewal.OFF).build();
        Lease a = processes.here.readWriteLock("prices", off).readLock().acquire();
        Lease b = here.readLock().acquire();
        processes.time.pass(Duration.ofSeconds(30));
        assertThat(b.state()).isEqualTo(LeaseState.HELD);
        assertThat(a.state()).as("lease of 10 s, renewal off, after 30 s").isEqualTo(LeaseState.LOST);
    }

    @Test
    void readerWithoutRenewalHasAClaimOfItsOwn() {
        LockOptions off = LockOptions.builder().renewal(LockOptions.Renewal.OFF).build();
        kept.add(processes.here.readWriteLock("prices", off).readLock().acquire());
        kept.add(here.readLock().acquire());
        assertThat(here.inspect().holders()).hasSize(2);
    }

    @Test
    void downgradeDuringARenewalIsNoFailure() {
        List<LockEvent> events = new ArrayList<>();
        Holdfast own = processes.holdfast(processes.store, 64, events::add);
        ReadWriteLock classic = own.readWriteLock("prices").asReadWriteLock();
        classic.writeLock().lock();
        processes.store.answers = answer -> {
            CompletableFuture<Object> delayed = new CompletableFuture<>();
            var unused = answer.thenAccept(value -> processes.time.schedule(() -> delayed.complete(value), 20_000_000));
            return delayed;
        };
        processes.time.pass(Duration.ofMillis(3_001));
        assertThat(processes.store.renewals.get()).isEqualTo(1);
        classic.readLock().lock();
        classic.writeLock().unlock();
        processes.time.pass(Duration.ofMillis(1));
        var state = own.readWriteLock("prices").readLock().requireHeld().state();
        processes.time.pass(Duration.ofMillis(200));
        processes.store.answers = answer -> answer;
        classic.readLock().unlock();
        processes.time.runCallbacks();
        assertThat(events).extracting(LockEvent::kind).doesNotContain(LockEvent.Kind.RENEWAL_FAILED);
        assertThat(state).isEqualTo(LeaseState.HELD);
    }

    @Test
    void secondResignCompletesWhenTheListenerHasBeenTold() {
        List<String> told = new ArrayList<>();
        LeaderElection election = processes.here.election("boss");
        election.start(new LeaderElection.Listener() {
            @Override
            public void onElected(Lease term) {
                told.add("elected");
            }

            @Override
            public void onRevoked(Lease term) {
                told.add("deposed");
            }
        });
        processes.time.runCallbacks();
        assertThat(told).containsExactly("elected");
        CompletableFuture<Void> first = election.resign();
        CompletableFuture<Void> second = election.resign();
        assertThat(first).isNotDone();
        boolean done = second.isDone();
        election.close();
        processes.time.runCallbacks();
        assertThat(done).as("completed although nobody was told").isFalse();
    }

    @Test
    void asyncUpgradeIsRefusedAtOnce() {
        here.readLock().run(lease -> {
            CompletableFuture<Lease> writer = here.writeLock().acquireAsync();
            processes.time.runCallbacks();
            assertThat(writer).isCompletedExceptionally();
        });
    }

    @Test
    void attemptDoesNotOvertakeAWriterWhoseClaimIsBeingRetried() {
        kept.add(there.readLock().acquire());
        processes.store.down = true;
        CompletableFuture<Lease> writer = here.writeLock().acquireAsync(LockOptions.FOREVER);
        processes.store.down = false;
        var overtaking = here.readLock().tryAcquire();
        assertThat(writer).isNotDone();
        assertThat(overtaking).as("a writer waits in this process").isEmpty();
    }

    @Test
    void reentryIntoAnotherKindIsRefused() {
        processes.here.lock("x").run(lease -> {
            assertThatThrownBy(
                            () -> processes.here.readWriteLock("x").writeLock().run(inner -> {}))
                    .isInstanceOf(HoldfastException.class)
                    .hasMessageContaining("One name has one kind");
        });
    }

    @Test
    void reentryIntoTheReadSideOfAnotherKindIsRefused() {
        processes.here.lock("x").run(lease -> {
            assertThatThrownBy(
                            () -> processes.here.readWriteLock("x").readLock().run(inner -> {}))
                    .isInstanceOf(HoldfastException.class)
                    .hasMessageContaining("One name has one kind");
        });
    }

    @Test
    void exclusiveLockInsideAReaderSaysWhatIsWrong() {
        here.readLock().run(lease -> {
            assertThatThrownBy(() -> processes.here.lock("prices").run(inner -> {}))
                    .isInstanceOf(HoldfastException.class)
                    .hasMessageContaining("One name has one kind");
        });
    }

    @Test
    void readerIsNotRefusedBecauseOfAWritersAttemptUnderWay() {
        kept.add(there.readLock().acquire());
        processes.store.answers = answer -> answer.thenCombine(new CompletableFuture<>(), (value, never) -> value);
        kept.add(here.writeLock().tryAcquireAsync());
        processes.store.answers = answer -> answer;
        assertThat(here.readLock().tryAcquire())
                .as("readers hold it, no writer waits")
                .isPresent();
    }

    @Test
    void onePermitIsNotRefusedBecauseOfAnAttemptAtAllOfThem() {
        kept.add(processes.there.semaphore("p", 3).acquire());
        processes.store.answers = answer -> answer.thenCombine(new CompletableFuture<>(), (value, never) -> value);
        kept.add(processes.here.semaphore("p", 3).withPermits(3).tryAcquireAsync());
        processes.store.answers = answer -> answer;
        assertThat(processes.here.semaphore("p", 3).tryAcquire())
                .as("two are free")
                .isPresent();
    }

    @Test
    void claimThatAStorePutsIntoItsGrantDoesNotMatter() {
        processes.store.answers = answer -> answer.thenApply(value ->
                value instanceof Optional<?> granted && granted.isPresent() && granted.get() instanceof Grant grant
                        ? Optional.of(new Grant(
                                grant.claim().withUnits(1),
                                grant.firstToken(),
                                grant.tokens(),
                                grant.countsFrom(),
                                grant.lease()))
                        : value);
        CompletableFuture<Lease> writer = here.writeLock().acquireAsync();
        processes.time.runCallbacks();
        assertThat(writer).isCompleted();
        assertThat(processes.store.acquires.get())
                .as("not given back and asked for again")
                .isEqualTo(1);
        assertThat(here.readLock().tryAcquire()).as("it is a writer").isEmpty();
        writer.join().close();
        assertThat(here.inspect().isFree()).isTrue();
    }

    @Test
    void lockSetOfMoreNamesThanTheStackIsDeep() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            names.add("n" + i);
        }
        LeaseSet set = processes
                .here
                .lockSet(names, LockOptions.defaults())
                .acquireAsync()
                .join();
        CompletableFuture<LeaseSet> next = processes
                .here
                .lockSet(
                        names,
                        LockOptions.builder().maxWait(LockOptions.FOREVER).build())
                .acquireAsync();
        set.releaseAsync().join();
        processes.time.runCallbacks();
        assertThat(next).isCompleted();
        next.join().close();
    }

    @Test
    void upgradeOfAReaderThatWasLostSaysThatItWasLost() {
        ReadWriteLock classic = here.asReadWriteLock();
        classic.readLock().lock();
        here.readLock().forceRelease(here.readLock().requireHeld().token());
        assertThatThrownBy(() -> classic.writeLock().lock()).isInstanceOf(LeaseLostException.class);
    }
}
