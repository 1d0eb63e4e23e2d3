package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.support.WaitingStore;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.PolledStore;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the person on call reads while the store does not answer: one line per outage, and one per recovery. */
class OutageTest {

    private final LogCapture log = new LogCapture();
    private final TwoProcesses processes = new TwoProcesses();
    private final List<LockEvent> events = new ArrayList<>();
    private final Holdfast holdfast = processes.holdfast(processes.store, 64, events::add);

    @AfterEach
    void close() {
        processes.close();
        log.close();
    }

    @Test
    void renewalsThatFailDuringAnOutageAreOneLineAndTheRecoveryAnother() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            leases.add(holdfast.lock("n" + i).acquire());
            processes.time.pass(Duration.ofMillis(100));
        }

        processes.store.down = true;
        processes.time.pass(Duration.ofSeconds(6));
        assertThat(log.messages()).hasSize(1);
        assertThat(log.messages().get(0))
                .startsWith("WARNING memory:")
                .contains("requests fail (TimeoutException: the store is down)")
                .doesNotContain("CompletionException");
        processes.store.down = false;
        processes.time.pass(Duration.ofSeconds(10));

        assertThat(log.messages()).hasSize(2);
        assertThat(log.messages().get(1))
                .startsWith("INFO")
                .containsPattern("requests succeed again after [3-6]\\.\\d s");
        assertThat(leases).allMatch(lease -> lease.state() == LeaseState.HELD);
        assertThat(kinds()).contains(LockEvent.Kind.RENEWAL_FAILED, LockEvent.Kind.AT_RISK);
    }

    /** As a database that is read-only: claims fail, inspection works. */
    @Test
    void storeThatAnswersQuestionsButNoClaimsIsUnavailable() {
        processes.store.failures = name -> new IllegalStateException("planted: read-only");
        CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync(Duration.ofMillis(1_800));
        processes.time.pass(Duration.ofMillis(900));
        // The last request is under way when the inspection before the end of the wait is answered.
        processes.store.ignoresClaims = true;
        processes.time.pass(Duration.ofSeconds(1));

        assertThatThrownBy(waiter::join)
                .hasCauseInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void waitForALockThatAnotherProcessHoldsEndsWithItsHolderAlthoughAClaimFailedBefore() {
        Lease held = processes.there.lock("a").acquire();
        processes.store.failures = name -> new IllegalStateException("planted");
        CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync(Duration.ofMillis(1_800));
        processes.time.pass(Duration.ofMillis(900));
        processes.store.ignoresClaims = true;
        processes.time.pass(Duration.ofSeconds(1));

        assertThatThrownBy(waiter::join)
                .hasCauseInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("token " + held.token());
    }

    @Test
    void claimThatIsWithdrawnWhileItWaitsIsNoOutage() {
        LockStore polled =
                new WaitingStore(new PolledStore(processes.store), processes.time.environment(), Duration.ofSeconds(1));
        Holdfast polling = processes.holdfast(new FaultyStore(polled), 64, event -> {});
        Lease held = processes.there.lock("a").acquire();
        CompletableFuture<Lease> waiter = polling.lock("a").acquireAsync();
        processes.time.pass(Duration.ofSeconds(3));

        waiter.cancel(false);
        processes.time.pass(Duration.ofSeconds(3));

        assertThat(log.messages()).isEmpty();
        held.close();
    }

    @Test
    void waiterThroughAnOutageIsLoggedAndReportedAsAnEvent() {
        processes.store.down = true;
        CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync(Duration.ofSeconds(15));

        processes.time.pass(Duration.ofSeconds(5));

        assertThat(log.messages()).hasSize(1);
        assertThat(kinds()).containsExactly(LockEvent.Kind.REQUESTED, LockEvent.Kind.ACQUIRE_FAILED);
        assertThat(events.get(1).cause()).hasMessageContaining("the store is down");
        processes.time.pass(Duration.ofSeconds(11));
        assertThat(waiter).isCompletedExceptionally();
        assertThat(waiter.handle((lease, failure) -> failure).join())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("(15.0 s)")
                .hasMessageNotContaining("CompletionException");
        assertThat(log.messages()).hasSize(1);
    }

    @Test
    void attemptThatHeldNothingIsNotReportedAsARelease() {
        processes.store.down = true;
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> holdfast.lock("a").tryRun(lease -> {}));

        processes.time.pass(Duration.ofMinutes(5));

        assertThat(log.messages()).hasSize(1);
        assertThat(log.messages().get(0)).contains("requests fail");
    }

    @Test
    void outageThatFlapsIsOneOutage() {
        Lease lease = holdfast.lock("a").acquire();
        for (int i = 0; i < 20; i++) {
            processes.store.down = true;
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> holdfast.lock("b").tryRun(held -> {}));
            processes.store.down = false;
            holdfast.lock("c").run(held -> {});
            processes.time.pass(Duration.ofMillis(300));
        }
        assertThat(log.messages()).hasSize(1);
        processes.time.pass(Duration.ofSeconds(30));

        assertThat(log.messages()).hasSize(2);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    /** One of several servers is down: requests to it take a timeout and a backoff to fail again. */
    @Test
    void partialOutageIsOneOutage() {
        FaultyStore store = processes.store;
        store.answers = answer -> {
            if (store.claims.isEmpty()
                    || !store.claims.get(store.claims.size() - 1).name().equals("dead")) {
                return answer;
            }
            CompletableFuture<Object> late = new CompletableFuture<>();
            processes.time.schedule(
                    () -> late.completeExceptionally(new TimeoutException("node 2 is down")), 2_000_000_000L);
            return late;
        };
        CompletableFuture<Lease> waiter = holdfast.lock("dead").acquireAsync(Duration.ofMinutes(1));
        for (int i = 0; i < 550; i++) {
            processes.there.lock("alive").run(lease -> {});
            processes.time.pass(Duration.ofMillis(100));
        }

        assertThat(waiter).isNotDone();
        assertThat(log.messages()).hasSize(1);
    }

    /** A claim that fails again and again must not hide what happens to other locks while the store answers these. */
    @Test
    void oneClaimThatKeepsFailingDoesNotMuteTheLogOfOthers() {
        FaultyStore store = processes.store;
        AtomicReference<String> failing = new AtomicReference<>("bad");
        store.failures = name -> name.equals(failing.get()) ? new IllegalStateException("WRONGTYPE") : null;
        CompletableFuture<Lease> waiter = holdfast.lock("bad").acquireAsync(Duration.ofMinutes(5));
        Lease other = holdfast.lock("good").acquire();
        processes.time.pass(Duration.ofSeconds(10));
        assertThat(log.messages()).hasSize(1);

        store.failures = name -> new IllegalStateException("READONLY");
        processes.time.pass(Duration.ofSeconds(5));

        assertThat(waiter).isNotDone();
        assertThat(other.state()).isEqualTo(LeaseState.AT_RISK);
        assertThat(log.messages())
                .anyMatch(message ->
                        message.contains("A renewal of the lease on 'good'") && message.contains("READONLY"));
    }

    @Test
    void messageOfALossCountsToTheLossAndNotToTheLook() {
        Lease lease = holdfast.lock("a").acquire();
        processes.store.down = true;
        processes.time.pass(Duration.ofSeconds(15));

        LeaseLostException lost = catchThrowableOfType(LeaseLostException.class, lease::ensureHeld);

        assertThat(lost).hasMessageContaining("was lost 9.9 s after it was acquired");
    }

    @Test
    void pausedProcessFindsThatItsLeaseEndedAtTheDeadline() {
        Lease lease = holdfast.lock("a").acquire();
        processes.time.pause(Duration.ofSeconds(40));

        LeaseLostException lost = catchThrowableOfType(LeaseLostException.class, lease::ensureHeld);

        assertThat(lost).hasMessageContaining("was lost 9.9 s after it was acquired");
    }

    private List<LockEvent.Kind> kinds() {
        return events.stream()
                .map(LockEvent::kind)
                .distinct()
                .filter(kind -> kind != LockEvent.Kind.ACQUIRED)
                .toList();
    }
}
