package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a process tells about its locks: events, listeners that come and go, and what it holds and waits for. */
class MonitoringTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final List<LockEvent> events = new ArrayList<>();
    private final Holdfast here = processes.holdfast(processes.store, 64, events::add);
    private final DistributedLock lock = here.lock("a");
    private final DistributedLock there = processes.there.lock("a");

    @AfterEach
    void close() {
        processes.close();
    }

    private List<LockEvent.Kind> kinds() {
        processes.time.runCallbacks();
        return events.stream().map(LockEvent::kind).toList();
    }

    @Test
    void eventsAreNumberedAndTimed() {
        lock.run(lease -> {});
        assertThat(kinds()).containsExactly(LockEvent.Kind.REQUESTED, LockEvent.Kind.ACQUIRED, LockEvent.Kind.RELEASED);
        assertThat(events).extracting(LockEvent::sequence).containsExactly(1L, 2L, 3L);
        assertThat(events.get(0).time().toEpochMilli()).isEqualTo(processes.time.wallMicros() / 1_000);
    }

    @Test
    void everyEndOfAWaitIsAnEvent() {
        Lease held = there.acquire();
        assertThat(lock.tryAcquire()).isEmpty();
        CompletableFuture<Lease> cancelled = lock.acquireAsync();
        cancelled.cancel(false);
        CompletableFuture<Lease> late = lock.acquireAsync(Duration.ofSeconds(1));
        processes.time.pass(Duration.ofSeconds(2));
        assertThat(late).isCompletedExceptionally();
        assertThatThrownBy(() -> here.semaphore("a", 3).acquireAsync().join())
                .hasCauseInstanceOf(WrongKindException.class);
        processes.store.down = true;
        CompletableFuture<Lease> unanswered = here.lock("b").acquireAsync(Duration.ofSeconds(1));
        processes.time.pass(Duration.ofSeconds(2));
        assertThat(unanswered).isCompletedExceptionally();
        processes.store.down = false;
        held.close();

        assertThat(kinds())
                .containsSubsequence(
                        LockEvent.Kind.REFUSED,
                        LockEvent.Kind.CANCELLED,
                        LockEvent.Kind.TIMED_OUT,
                        LockEvent.Kind.FAILED,
                        LockEvent.Kind.FAILED);
        assertThat(events).filteredOn(event -> event.kind().endsWait()).hasSize(5);
        assertThat(events)
                .filteredOn(event -> event.kind() == LockEvent.Kind.REQUESTED)
                .hasSize(5);
    }

    @Test
    void leaseThatTheStoreDoesNotHaveAnyMoreHasOneEnd() {
        Lease stale = lock.acquire();
        assertThat(there.forceRelease(stale.token())).isTrue();
        assertThatThrownBy(stale::close).isInstanceOf(LeaseLostException.class);

        assertThat(kinds()).containsExactly(LockEvent.Kind.REQUESTED, LockEvent.Kind.ACQUIRED, LockEvent.Kind.LOST);
        assertThat(events.get(2).cause())
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LeaseLostException.Reason.NOT_IN_STORE));
    }

    @Test
    void forcedReleaseIsAnEventOfTheProcessThatDidIt() {
        Lease foreign = there.acquire();
        assertThat(here.forceRelease("a", foreign.token())).isTrue();
        assertThat(kinds()).containsExactly(LockEvent.Kind.FORCE_RELEASED);
        assertThat(events.get(0).token()).isEqualTo(foreign.token());

        Lease own = lock.acquire();
        assertThat(lock.forceRelease(own.token())).isTrue();
        assertThat(kinds())
                .containsSubsequence(LockEvent.Kind.ACQUIRED, LockEvent.Kind.FORCE_RELEASED, LockEvent.Kind.LOST);
    }

    @Test
    void listenerCanBeAddedAndRemoved() {
        List<LockEvent> late = new ArrayList<>();
        HoldfastListener listener = late::add;
        lock.run(lease -> {});
        here.addListener(listener);
        lock.run(lease -> {});
        processes.time.runCallbacks();
        here.removeListener(listener);
        lock.run(lease -> {});
        processes.time.runCallbacks();

        assertThat(late)
                .extracting(LockEvent::kind)
                .containsExactly(LockEvent.Kind.REQUESTED, LockEvent.Kind.ACQUIRED, LockEvent.Kind.RELEASED);
        assertThat(late).extracting(LockEvent::sequence).containsExactly(4L, 5L, 6L);
        assertThat(events).hasSizeGreaterThan(6);
    }

    @Test
    void processKnowsWhatItHoldsAndWaitsFor() {
        assertThat(here.localLocks()).isEqualTo(new LocalLocks(List.of(), List.of()));
        DistributedLock labelled =
                here.lock("a", LockOptions.builder().label("guest 42").build());
        Lease held = labelled.acquire();
        CompletableFuture<Lease> waiting = labelled.acquireAsync();
        processes.time.pass(Duration.ofSeconds(1));
        int roundTrips = processes.store.claims.size();

        LocalLocks present = here.localLocks();

        assertThat(processes.store.claims).hasSize(roundTrips);
        assertThat(present.held()).singleElement().satisfies(lease -> {
            assertThat(lease.name()).isEqualTo("a");
            assertThat(lease.mode()).isEqualTo(LockInfo.Mode.EXCLUSIVE);
            assertThat(lease.label()).isEqualTo("guest 42");
            assertThat(lease.token()).isEqualTo(held.token());
            assertThat(lease.thread()).contains(Thread.currentThread().getName());
            assertThat(lease.callSite().get(0).getClassName()).isEqualTo(MonitoringTest.class.getName());
            assertThat(lease.age()).isEqualTo(Duration.ofSeconds(1));
            assertThat(lease.remaining()).isPositive();
        });
        assertThat(present.waiting()).singleElement().satisfies(waiter -> {
            assertThat(waiter.name()).isEqualTo("a");
            assertThat(waiter.thread()).isEmpty();
            assertThat(waiter.age()).isEqualTo(Duration.ofSeconds(1));
        });
        held.close();
        processes.time.runCallbacks();
        waiting.join().close();
        assertThat(here.localLocks().held()).isEmpty();
    }

    @Test
    void inspectionTellsKindModeAndSinceWhenEachWaiterWaits() {
        DistributedReadWriteLock prices = here.readWriteLock("prices");
        Lease reader = prices.readLock().acquire();
        CompletableFuture<Lease> writer =
                processes.there.readWriteLock("prices").writeLock().acquireAsync();
        processes.time.pass(Duration.ofSeconds(3));

        LockInfo info = prices.inspect();

        assertThat(info.kind()).isEqualTo(LockInfo.Kind.READ_WRITE_LOCK);
        assertThat(info.holders()).extracting(LockInfo.Holder::mode).containsExactly(LockInfo.Mode.READ);
        assertThat(info.queue()).extracting(LockInfo.Waiting::waited).containsExactly(Duration.ofSeconds(3));
        reader.close();
        processes.time.runCallbacks();
        assertThat(prices.inspect().holders()).extracting(LockInfo.Holder::mode).containsExactly(LockInfo.Mode.WRITE);
        writer.join().close();
    }
}
