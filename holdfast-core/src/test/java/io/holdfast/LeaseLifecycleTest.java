package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On virtual time: how a lease lives and ends. */
class LeaseLifecycleTest {

    private static final Duration LEASE = LockOptions.defaults().leaseTime();

    private final String url = "memory:" + UUID.randomUUID();
    private final ManualTime time = new ManualTime();
    private final FaultyStore store = new FaultyStore(new MemoryStoreProvider().open(url, time.environment()));
    private final List<LockEvent> events = new ArrayList<>();
    private final LogCapture log = new LogCapture();
    private final Holdfast holdfast = Holdfast.builder(store)
            .environment(time.environment())
            .listener(events::add)
            .shutdownGrace(Duration.ZERO)
            .build();
    private final Holdfast other = Holdfast.builder(url)
            .environment(time.environment())
            .shutdownGrace(Duration.ZERO)
            .build();

    @AfterEach
    void close() {
        holdfast.close();
        other.close();
        store.close();
        log.close();
    }

    @Test
    void renewalKeepsALeaseForAsLongAsItIsHeld() {
        Lease lease = holdfast.lock("a").acquire();
        for (int i = 0; i < 60; i++) {
            time.pass(Duration.ofSeconds(1));
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(lease.remaining()).isGreaterThan(LEASE.dividedBy(2));
        }
        assertThat(store.renewals.get()).isBetween(15, 25);
        assertThat(lease.release()).isTrue();
        time.pass(LEASE);
        assertThat(time.timers()).as("nothing ticks when nothing is held").isZero();
    }

    @Test
    void manyLeasesAreRenewedInFewBatches() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            leases.add(holdfast.lock("many:" + i).acquire());
        }
        time.pass(Duration.ofSeconds(30));

        assertThat(leases).allMatch(lease -> lease.state() == LeaseState.HELD);
        assertThat(store.renewals.get()).as("commands in 30 s for 1,200 leases").isLessThan(120);
        leases.forEach(Lease::close);
    }

    @Test
    void failingRenewalPutsALeaseAtRiskAndASuccessfulOneBringsItBack() {
        Lease lease = holdfast.lock("a").acquire();
        store.down = true;
        time.pass(Duration.ofSeconds(5));
        assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);
        assertThat(store.renewals.get()).as("tried again and again").isGreaterThan(2);

        store.down = false;
        time.pass(Duration.ofSeconds(2));

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(kinds())
                .containsSubsequence(LockEvent.Kind.ACQUIRED, LockEvent.Kind.RENEWAL_FAILED, LockEvent.Kind.AT_RISK);
        assertThat(kinds()).containsOnlyOnce(LockEvent.Kind.AT_RISK).doesNotContain(LockEvent.Kind.LOST);
        lease.close();
    }

    @Test
    void aStoreThatAnswersEverythingButTheClaimIsNamedAsTheReason() {
        store.answers = answer -> answer.thenApply(result -> {
            if (result instanceof Optional<?>) {
                throw new IllegalStateException("the memory is full");
            }
            return result;
        });

        CompletableFuture<Lease> wanted = holdfast.lock("a").acquireAsync();
        time.pass(LockOptions.defaults().maxWait());
        time.runCallbacks();

        assertThat(wanted)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("the memory is full");
        store.answers = answer -> answer;
    }

    @Test
    void holdersViewEndsBeforeTheStores() {
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> next = other.lock("a").acquireAsync();
        store.down = true;
        long lostAt = 0;
        while (!next.isDone()) {
            time.pass(Duration.ofMillis(1));
            if (lostAt == 0 && lease.state() == LeaseState.LOST) {
                lostAt = time.nanos();
            }
        }

        assertThat(lostAt).isPositive().isLessThan(time.nanos());
        assertThat(kinds()).contains(LockEvent.Kind.LOST);
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        assertThat(next.join().token()).isGreaterThan(lease.token());
        next.join().close();
    }

    @Test
    void leaseIsLostWhenTheMachineSleptThroughIt() {
        Lease lease = holdfast.lock("a").acquire();
        time.suspend(LEASE);

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void lostLeaseIsGivenBackWhenItsBodyEndsAndNotBefore() {
        Lease lease = holdfast.lock("a").acquire();
        time.suspend(LEASE);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(other.lock("a").tryAcquire())
                .as("the body may still be running")
                .isEmpty();

        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);

        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void leaseThatTheStoreLostIsToldAtTheNextRenewal() {
        Lease lease = holdfast.lock("a").acquire();
        assertThat(other.lock("a").forceRelease(lease.token())).isTrue();
        time.pass(LEASE.dividedBy(2));

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::ensureHeld)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("released by force");
    }

    @Test
    void revokedLeaseWithoutRenewalIsToldWhenItIsClosed() {
        Lease lease = holdfast.lock(
                        "a",
                        LockOptions.builder().renewal(LockOptions.Renewal.OFF).build())
                .acquire();
        other.lock("a").forceRelease(lease.token());

        assertThatThrownBy(lease::close)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("did not have it any more");
    }

    @Test
    void holdNeverLastsLongerThanMaxHold() {
        LockOptions options =
                LockOptions.builder().maxHold(Duration.ofSeconds(25)).build();
        Lease lease = holdfast.lock("a", options).acquire();
        time.pass(Duration.ofMillis(24_900));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        time.pass(Duration.ofMillis(100));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::ensureHeld).hasMessageContaining("maxHold");

        time.pass(Duration.ofMillis(200));
        assertThat(other.lock("a").tryAcquire())
                .as("and in the store not much longer")
                .isPresent();
    }

    @Test
    void longHoldIsLoggedOnceWithItsPlace() {
        Lease lease = holdfast.lock("a").acquire();
        time.pass(Duration.ofMinutes(3));

        assertThat(log.messages())
                .filteredOn(message -> message.contains("Held for long"))
                .singleElement()
                .asString()
                .contains("'a'", "LeaseLifecycleTest.longHoldIsLoggedOnceWithItsPlace");
        lease.close();
    }

    @Test
    void releaseThatFailsIsRepeatedInTheBackground() {
        Lease lease = holdfast.lock("a").acquire();
        store.down = true;
        assertThat(lease.release()).as("it was ours when it was given back").isTrue();
        assertThat(other.lock("a").tryAcquire()).isEmpty();

        store.down = false;
        time.pass(Duration.ofSeconds(2));

        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void withdrawalIsRepeatedThroughAnOutageThatOutlastsTheLease() {
        Lease held = other.lock("a").acquire();
        LockOptions brief =
                LockOptions.builder().leaseTime(Duration.ofMillis(500)).build();
        CompletableFuture<Lease> waiter = holdfast.lock("a", brief).acquireAsync();
        store.down = true;
        waiter.cancel(false);
        time.pass(Duration.ofSeconds(5));
        assertThat(other.lock("a").inspect().waiters()).isEqualTo(1);

        store.down = false;
        time.pass(Duration.ofSeconds(1));

        assertThat(other.lock("a").inspect().waiters()).isZero();
        held.close();
    }

    @Test
    void unknownOutcomeOfAnAcquisitionIsFoundAgain() {
        store.answers = answer -> CompletableFuture.failedFuture(new IllegalStateException("the answer was lost"));
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        time.pass(Duration.ofMillis(1));
        assertThat(future).isNotDone();

        store.answers = answer -> answer;
        time.pass(Duration.ofSeconds(1));

        assertThat(future).isCompleted();
        assertThat(store.acquires.get()).isGreaterThan(1);
        future.join().close();
        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void outageForTheWholeWaitIsNotATimeOut() {
        store.down = true;
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        time.pass(Duration.ofSeconds(16));

        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("down");
    }

    @Test
    void briefOutageBeforeALongWaitIsATimeOutThatNamesTheHolder() {
        other.lock("a", LockOptions.builder().label("guest 42").build()).acquire();
        store.down = true;
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        store.down = false;
        time.pass(Duration.ofSeconds(16));

        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("guest 42");
    }

    @Test
    void waitingIsToldToListenersOnlyByThoseWhoHaveTo() {
        Lease lease = holdfast.lock("a").acquire();
        assertThat(kinds()).containsExactly(LockEvent.Kind.REQUESTED, LockEvent.Kind.ACQUIRED);
        CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync();
        assertThat(holdfast.lock("a").tryAcquire()).isEmpty();
        lease.close();
        time.runCallbacks();
        next.join().close();

        assertThat(kinds())
                .containsExactly(
                        LockEvent.Kind.REQUESTED,
                        LockEvent.Kind.ACQUIRED,
                        LockEvent.Kind.REQUESTED,
                        LockEvent.Kind.WAITING,
                        LockEvent.Kind.REQUESTED,
                        LockEvent.Kind.REFUSED,
                        LockEvent.Kind.RELEASED,
                        LockEvent.Kind.HANDED_OVER,
                        LockEvent.Kind.RELEASED);
    }

    @Test
    void storeThatIsSlowerThanTheLeaseIsNotAskedWithoutEnd() {
        LockOptions brief =
                LockOptions.builder().leaseTime(Duration.ofMillis(100)).build();
        store.answers = answer -> {
            CompletableFuture<Object> slow = new CompletableFuture<>();
            time.schedule(
                    () -> slow.complete(answer.join()), Duration.ofMillis(150).toNanos());
            return slow;
        };
        CompletableFuture<Lease> future = holdfast.lock("a", brief).acquireAsync(Duration.ofSeconds(10));
        time.pass(Duration.ofSeconds(11));

        assertThat(store.acquires.get()).isBetween(3, 50);
        assertThatThrownBy(future::join).hasCauseInstanceOf(HoldfastException.class);
    }

    @Test
    void grantThatIsFoundAgainLateIsMadeWholeFirst() {
        LockOptions brief = LockOptions.builder()
                .leaseTime(Duration.ofMillis(400))
                .renewal(LockOptions.Renewal.OFF)
                .build();
        store.answers = answer -> CompletableFuture.failedFuture(new IllegalStateException("the answer was lost"));
        CompletableFuture<Lease> future = holdfast.lock("a", brief).acquireAsync();
        time.pass(Duration.ofMillis(200));
        store.answers = answer -> answer;
        while (!future.isDone()) {
            time.pass(Duration.ofMillis(1));
        }

        assertThat(future.join().remaining()).isGreaterThan(Duration.ofMillis(380));
        future.join().close();
    }

    private List<LockEvent.Kind> kinds() {
        time.runCallbacks();
        return events.stream().map(LockEvent::kind).toList();
    }
}
