package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The local queue before the in-JVM store, which grants without a request that is answered later. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class InJvmQueueTest {

    private final String url = "memory:" + UUID.randomUUID();
    private final ManualTime time = new ManualTime();
    private final List<LockEvent> events = new ArrayList<>();
    private final Holdfast here = holdfast();
    private final Holdfast there = holdfast();

    /** What must not be taken for forgotten. */
    private final List<Object> kept = new ArrayList<>();

    private Holdfast holdfast() {
        return Holdfast.builder(url)
                .environment(time.environment())
                .localHandOff(4, Duration.ofMillis(50))
                .shutdownGrace(Duration.ZERO)
                .listener(events::add)
                .build();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void waitersOfBothSidesAreServedInOrderWhenTheBlockOfTokensIsUsedUp() {
        Lease first = here.lock("a").acquire();
        CompletableFuture<Lease> remote = there.lock("a").acquireAsync(LockOptions.FOREVER);
        List<CompletableFuture<Lease>> local = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            local.add(here.lock("a").acquireAsync(LockOptions.FOREVER));
        }
        first.close();
        List<Long> tokens = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            time.runCallbacks();
            assertThat(local.get(i)).isCompleted();
            assertThat(remote).isNotDone();
            tokens.add(local.get(i).join().token());
            local.get(i).join().close();
        }
        time.runCallbacks();
        assertThat(remote).as("after a block of four").isCompleted();
        assertThat(local.get(3)).isNotDone();
        tokens.add(remote.join().token());
        remote.join().close();
        time.runCallbacks();
        assertThat(local.get(3)).isCompleted();
        tokens.add(local.get(3).join().token());

        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void allPermitsThatBecomeFreeAreGivenToWaitersAtOnce() {
        Lease all = here.semaphore("p", 3).withPermits(3).acquire();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiters.add(here.semaphore("p", 3).acquireAsync(LockOptions.FOREVER));
        }
        all.close();
        time.runCallbacks();

        assertThat(waiters.subList(0, 3)).allMatch(CompletableFuture::isDone);
        assertThat(waiters.get(3)).isNotDone();
        assertThat(here.semaphore("p", 3).inspect().holders()).hasSize(3);
        assertThat(here.semaphore("p", 3).tryAcquire()).isEmpty();
        waiters.get(0).join().close();
        time.runCallbacks();
        assertThat(waiters.get(3)).isCompleted();
    }

    @Test
    void newcomerDoesNotOvertakeAWaiterThatNeedsMore() {
        kept.add(here.semaphore("p", 3).acquire());
        CompletableFuture<Lease> all = here.semaphore("p", 3).withPermits(3).acquireAsync(LockOptions.FOREVER);

        CompletableFuture<Lease> one = here.semaphore("p", 3).acquireAsync(LockOptions.FOREVER);
        time.runCallbacks();

        assertThat(all).isNotDone();
        assertThat(one).isNotDone();
        assertThat(there.semaphore("p", 3).tryAcquire()).as("from elsewhere").isEmpty();
        all.cancel(false);
        time.runCallbacks();
        assertThat(one).isCompleted();
    }

    @Test
    void writerIsServedAfterAllReadersAndReadersTogetherAfterIt() {
        DistributedReadWriteLock lock = here.readWriteLock("rw");
        Lease readerHere = lock.readLock().acquire();
        Lease readerThere = there.readWriteLock("rw").readLock().acquire();
        CompletableFuture<Lease> writer = lock.writeLock().acquireAsync(LockOptions.FOREVER);
        List<CompletableFuture<Lease>> readers = List.of(
                lock.readLock().acquireAsync(LockOptions.FOREVER),
                lock.readLock().acquireAsync(LockOptions.FOREVER));
        assertThat(lock.writeLock().tryAcquire()).isEmpty();
        assertThat(lock.readLock().tryAcquire()).isEmpty();
        readerHere.close();
        time.runCallbacks();
        assertThat(writer).isNotDone();
        readerThere.close();
        time.runCallbacks();
        assertThat(writer).isCompleted();
        assertThat(readers).noneMatch(CompletableFuture::isDone);
        writer.join().close();
        time.runCallbacks();

        assertThat(readers).allMatch(CompletableFuture::isDone);
        assertThat(readers.get(0).join().token())
                .isEqualTo(readers.get(1).join().token())
                .isGreaterThan(writer.join().token());
    }

    @Test
    void waitersBehindADowngradeAreServedInOrder() {
        DistributedReadWriteLock lock = here.readWriteLock("rw");
        ReadWriteLock classic = lock.asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        CompletableFuture<Lease> reader = lock.readLock().acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> writer = lock.writeLock().acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> last = lock.readLock().acquireAsync(LockOptions.FOREVER);
        classic.writeLock().unlock();
        time.pass(Duration.ofMillis(1));
        assertThat(reader).isCompleted();
        assertThat(writer).isNotDone();
        assertThat(last).as("behind the writer").isNotDone();
        classic.readLock().unlock();
        reader.join().close();
        time.runCallbacks();
        assertThat(writer).isCompleted();
        writer.join().close();
        time.runCallbacks();

        assertThat(last).isCompleted();
    }

    @Test
    void onlyThoseWhoHaveToWaitAreReportedAsWaiting() {
        Lease first = here.lock("a").acquire();
        kept.add(here.semaphore("p", 3).acquire());
        kept.add(here.semaphore("p", 3).acquireAsync(LockOptions.FOREVER));
        time.runCallbacks();
        assertThat(events).noneMatch(event -> event.kind() == LockEvent.Kind.WAITING);

        kept.add(here.lock("a").acquireAsync(LockOptions.FOREVER));
        kept.add(here.semaphore("p", 3).withPermits(3).acquireAsync(LockOptions.FOREVER));
        kept.add(here.semaphore("p", 3).acquireAsync(LockOptions.FOREVER));
        time.runCallbacks();

        assertThat(events)
                .filteredOn(event -> event.kind() == LockEvent.Kind.WAITING)
                .extracting(LockEvent::name)
                .containsExactlyInAnyOrder("a", "p", "p");
        first.close();
    }

    @Test
    void waitersAreRefusedWhenTheHoldfastIsClosedAndNothingIsLeftBehind() {
        Lease remote = there.lock("a").acquire();
        CompletableFuture<Lease> first = here.lock("a").acquireAsync(LockOptions.FOREVER);
        CompletableFuture<Lease> second = here.lock("a").acquireAsync(LockOptions.FOREVER);

        here.close();
        time.runCallbacks();

        for (CompletableFuture<Lease> waiter : List.of(first, second)) {
            assertThatThrownBy(waiter::join).hasCauseInstanceOf(HoldfastException.class);
        }
        assertThat(there.lock("a").inspect().waiters()).isZero();
        remote.close();
        assertThat(there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void nameOfAnotherSizeIsRefusedWhileItIsInUse() {
        kept.add(here.semaphore("p", 3).acquire());

        assertThatThrownBy(() -> here.semaphore("p", 4).acquire()).isInstanceOf(HoldfastException.class);
        assertThatThrownBy(() -> here.lock("p").tryAcquire()).isInstanceOf(HoldfastException.class);
        assertThat(here.semaphore("p", 3).tryAcquire()).isPresent();
    }

    @Test
    void leaseThatIsOverDoesNotBlockANewcomer() {
        Lease lost = here.lock("a").acquire();
        time.pause(Duration.ofSeconds(11));

        Lease next = here.lock("a").tryAcquire().orElseThrow();

        assertThat(next.token()).isGreaterThan(lost.token());
        assertThat(lost.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lost::close).isInstanceOf(LeaseLostException.class);
        assertThat(next.state()).isEqualTo(LeaseState.HELD);
    }
}
