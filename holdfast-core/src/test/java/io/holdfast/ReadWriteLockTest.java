package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Readers together, writers alone, and in the order of their arrival. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class ReadWriteLockTest {

    private static final Duration SLICE = Duration.ofMillis(50);

    private final TwoProcesses processes = new TwoProcesses();
    private final DistributedReadWriteLock here = processes.here.readWriteLock("prices");
    private final DistributedReadWriteLock there = processes.there.readWriteLock("prices");

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void readersOfSeveralProcessesHoldTogetherAndAWriterAlone() {
        Lease reader = here.readLock().acquire();
        Lease remote = there.readLock().acquire();
        assertThat(here.writeLock().tryAcquire()).isEmpty();
        assertThat(there.writeLock().tryAcquire()).isEmpty();
        reader.close();
        assertThat(there.writeLock().tryAcquire()).isEmpty();
        remote.close();

        Lease writer = there.writeLock().tryAcquire().orElseThrow();
        assertThat(writer.token()).isGreaterThan(Math.max(reader.token(), remote.token()));
        assertThat(here.readLock().tryAcquire()).isEmpty();
        assertThat(there.readLock().tryAcquire()).isEmpty();
        writer.close();
        assertThat(here.inspect().isFree()).isTrue();
    }

    @Test
    void readersOfOneProcessShareAClaimForOneSliceOnly() {
        List<Lease> readers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            readers.add(here.readLock().acquire());
        }
        assertThat(processes.store.acquires.get()).as("one claim for all").isEqualTo(1);
        assertThat(readers).extracting(Lease::token).containsOnly(readers.get(0).token());

        processes.time.pass(SLICE);
        readers.add(here.readLock().acquire());
        assertThat(processes.store.acquires.get()).as("the slice is over").isEqualTo(2);
        assertThat(here.inspect().holders()).hasSize(2);

        readers.forEach(Lease::close);
        assertThat(processes.store.releases.get()).isEqualTo(2);
        assertThat(here.inspect().isFree()).isTrue();
    }

    @Test
    void writerElsewhereIsNotStarvedByReadersThatOverlapWithoutEnd() {
        Lease reader = here.readLock().acquire();
        CompletableFuture<Lease> writer = there.writeLock().acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> newcomer = CompletableFuture.completedFuture(reader);
        for (int i = 0; i < 1_000 && newcomer.isDone(); i++) {
            Lease last = newcomer.join();
            newcomer = here.readLock().acquireAsync(LockOptions.FOREVER);
            last.close();
            processes.time.pass(Duration.ofMillis(1));
        }
        assertThat(writer).as("after one slice").isCompleted();
        assertThat(newcomer).isNotDone();
        writer.join().close();
        processes.time.runCallbacks();
        assertThat(newcomer).isCompleted();
        newcomer.join().close();
    }

    @Test
    void whoComesFirstIsServedFirst() {
        Lease writer = here.writeLock().acquire();
        CompletableFuture<Lease> reader1 = here.readLock().acquireAsync();
        CompletableFuture<Lease> reader2 = here.readLock().acquireAsync();
        CompletableFuture<Lease> writer2 = here.writeLock().acquireAsync();
        CompletableFuture<Lease> reader3 = here.readLock().acquireAsync();
        writer.close();
        processes.time.runCallbacks();

        assertThat(reader1).isCompleted();
        assertThat(reader2).as("shares with the first").isCompleted();
        assertThat(writer2).isNotDone();
        assertThat(reader3).as("behind the writer").isNotDone();
        assertThat(here.readLock().tryAcquire())
                .as("an attempt does not overtake")
                .isEmpty();
        reader1.join().close();
        assertThat(writer2).isNotDone();
        reader2.join().close();
        processes.time.runCallbacks();
        assertThat(writer2).isCompleted();
        assertThat(reader3).isNotDone();
        writer2.join().close();
        processes.time.runCallbacks();
        assertThat(reader3).isCompleted();
        reader3.join().close();
    }

    @Test
    void writersPassTheLockOnWithoutTheStore() {
        Lease first = here.writeLock().acquire();
        CompletableFuture<Lease> second = here.writeLock().acquireAsync();
        first.close();
        processes.time.runCallbacks();
        assertThat(second.join().token()).isEqualTo(first.token() + 1);
        assertThat(processes.store.acquires.get()).isEqualTo(1);
        second.join().close();
    }

    @Test
    void sharedClaimIsRenewedForAllAndLostByAll() {
        List<LeaseState> told = new ArrayList<>();
        Lease one = here.readLock().acquire();
        Lease two = here.readLock().acquire();
        one.onLost(() -> told.add(one.state()));
        two.onLost(() -> told.add(two.state()));
        processes.time.pass(Duration.ofMinutes(1));
        assertThat(one.state()).isEqualTo(LeaseState.HELD);
        assertThat(two.state()).isEqualTo(LeaseState.HELD);

        assertThat(here.readLock().forceRelease(one.token())).isTrue();
        processes.time.runCallbacks();
        assertThat(told).containsExactly(LeaseState.LOST, LeaseState.LOST);
        assertThatThrownBy(one::close).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(two::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void readerThatReachesMaxHoldLeavesTheOthersAndKeepsWritersOutUntilItsBodyEnds() {
        DistributedReadWriteLock brief = processes.here.readWriteLock(
                "prices", LockOptions.builder().maxHold(Duration.ofSeconds(15)).build());
        Lease stays = here.readLock().acquire();
        Lease limited = brief.readLock().acquire();
        assertThat(processes.store.acquires.get()).isEqualTo(1);
        processes.time.pass(Duration.ofSeconds(16));
        assertThat(limited.state()).isEqualTo(LeaseState.LOST);
        assertThat(stays.state()).isEqualTo(LeaseState.HELD);

        stays.close();
        assertThat(there.writeLock().tryAcquire())
                .as("the body of the lost reader may still be reading")
                .isEmpty();
        assertThatThrownBy(limited::close).isInstanceOf(LeaseLostException.class);
        assertThat(there.writeLock().tryAcquire()).isPresent();
    }

    @Test
    void holdAtLeastOfAReaderHoldsForWritersOnly() {
        DistributedReadWriteLock slow = processes.here.readWriteLock(
                "prices",
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build());
        Lease brief = slow.readLock().acquire();
        Lease other = here.readLock().acquire();
        brief.close();
        other.close();
        assertThat(there.readLock().tryAcquire()).isPresent().get().satisfies(Lease::close);
        assertThat(there.writeLock().tryAcquire()).isEmpty();
        processes.time.pass(Duration.ofSeconds(6));
        assertThat(there.writeLock().tryAcquire()).isPresent();
    }

    @Test
    void readerWithoutRenewalHasAClaimOfItsOwn() {
        Lease shared = here.readLock().acquire();
        Lease own = processes
                .here
                .readWriteLock(
                        "prices",
                        LockOptions.builder().renewal(LockOptions.Renewal.OFF).build())
                .readLock()
                .acquire();
        assertThat(processes.store.acquires.get()).isEqualTo(2);
        processes.time.pass(Duration.ofSeconds(11));
        assertThat(own.state()).isEqualTo(LeaseState.LOST);
        assertThat(shared.state()).isEqualTo(LeaseState.HELD);
        shared.close();
    }

    @Test
    void oneHandOffMeansAClaimForEveryReader() {
        DistributedReadWriteLock strict =
                processes.holdfast(processes.store, 1, event -> {}).readWriteLock("prices");
        Lease one = strict.readLock().acquire();
        Lease two = strict.readLock().acquire();
        assertThat(two.token()).isGreaterThan(one.token());
        assertThat(processes.store.acquires.get()).isEqualTo(2);
        one.close();
        two.close();
    }

    @Test
    void permitsOfADeadReaderComeBackWhenItsLeaseEnds() {
        Lease dead = here.readLock().acquire();
        processes.store.down = true;
        CompletableFuture<Lease> writer = there.writeLock().acquireAsync();
        processes.time.pass(Duration.ofSeconds(11));
        assertThat(writer).isCompleted();
        assertThat(dead.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void writerMayReadAndAReaderMayNotWrite() {
        here.writeLock().run(outer -> {
            assertThat(here.readLock().<Long, RuntimeException>call(Lease::token))
                    .isEqualTo(outer.token());
            assertThat(here.readLock().requireHeld().token()).isEqualTo(outer.token());
        });
        here.readLock().run(outer -> {
            assertThat(here.readLock().tryRun(inner -> {})).isTrue();
            assertThat(here.writeLock().tryRun(inner -> {})).isFalse();
            assertThat(here.writeLock().tryAcquire()).isEmpty();
            assertThatThrownBy(() -> here.writeLock().run(inner -> {}))
                    .isExactlyInstanceOf(SelfDeadlockException.class)
                    .hasMessageContaining("holds the read lock and waits for the write lock");
            assertThatThrownBy(() -> here.writeLock().acquire()).hasMessageContaining("Release the read lock first");
            assertThatThrownBy(() -> here.writeLock().requireHeld()).isInstanceOf(IllegalMonitorStateException.class);
        });
        assertThat(here.inspect().isFree()).isTrue();
    }

    @Test
    void classicLocksAreReentrantAndDowngrade() throws Exception {
        ReadWriteLock classic = here.asReadWriteLock();
        classic.writeLock().lock();
        classic.writeLock().lock();
        classic.readLock().lock();
        classic.readLock().lock();
        classic.writeLock().unlock();
        assertThat(there.readLock().tryAcquire()).as("still a writer").isEmpty();
        CompletableFuture<Lease> reader = there.readLock().acquireAsync();
        CompletableFuture<Lease> writer = there.writeLock().acquireAsync();
        classic.writeLock().unlock();
        processes.time.pass(Duration.ofMillis(1));

        assertThat(reader).as("a reader now, beside other readers").isCompleted();
        assertThat(writer).as("no writer in between").isNotDone();
        assertThat(here.inspect().holders()).extracting(LockInfo.Holder::mode).containsOnly(LockInfo.Mode.READ);
        assertThat(classic.writeLock().tryLock()).as("no way back up").isFalse();
        assertThat(classic.writeLock().tryLock(0, TimeUnit.SECONDS)).isFalse();
        assertThatThrownBy(() -> classic.writeLock().lock()).hasMessageContaining("Release the read lock first");
        assertThatThrownBy(() -> classic.writeLock().unlock())
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("it owns the read side only");
        classic.readLock().unlock();
        classic.readLock().unlock();
        reader.join().close();
        processes.time.runCallbacks();
        assertThat(writer).isCompleted();
    }

    @Test
    void downgradeThatTheStoreDoesNotAnswerIsRepeated() {
        ReadWriteLock classic = here.asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        CompletableFuture<Lease> reader = there.readLock().acquireAsync();
        processes.store.down = true;
        classic.writeLock().unlock();
        processes.time.pass(Duration.ofMillis(1));
        assertThat(reader).isNotDone();
        processes.store.down = false;
        processes.time.pass(Duration.ofSeconds(2));
        assertThat(reader).isCompleted();
        classic.readLock().unlock();
    }

    @Test
    void nameOfAnotherKindIsRefusedHereAndElsewhere() {
        Lease reader = here.readLock().acquire();
        assertThatThrownBy(() -> processes.here.lock("prices").acquire())
                .isExactlyInstanceOf(WrongKindException.class)
                .hasMessageContaining("in use in this process as a read/write lock, not as a lock");
        assertThatThrownBy(() -> processes.there.semaphore("prices", 3).acquire())
                .isExactlyInstanceOf(WrongKindException.class)
                .hasMessageContaining("'prices' is in use as a read/write lock, not as a semaphore of 3 permits");
        assertThatThrownBy(() -> processes.there.lock("prices").tryAcquire())
                .isExactlyInstanceOf(WrongKindException.class);
        reader.close();
        processes.there.lock("prices").acquire().close();
    }
}
