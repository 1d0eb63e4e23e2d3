package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Grant;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease that has to be renewed before it can be handed over, because the next waiter needs more than is left of it. */
class RenewalForAWaiterTest {

    /** Ten seconds less the margin for clocks that drift, which is 1 % and 2 ms, less a third of ten seconds. */
    private static final Duration UNTIL_A_THIRD_IS_LEFT =
            Duration.ofMillis(9_898).minusNanos(3_333_333_333L);

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final LockOptions LONGER =
            LockOptions.builder().leaseTime(MINUTE).build();

    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void waiterHasAClaimOfItsOwnIfTheRenewalFails() {
        answerRenewalsWith(CompletableFuture.failedFuture(new TimeoutException("no answer")));

        assertThatTheWaiterIsServedByANewClaim();

        assertThat(processes.store.releases)
                .as("what may have been renewed is released")
                .hasValue(1);
    }

    @Test
    void renewalForAWaiterThatFailsIsLoggedAsAnOutage() {
        answerRenewalsWith(CompletableFuture.failedFuture(new TimeoutException("no answer")));
        try (LogCapture log = new LogCapture()) {
            assertThatTheWaiterIsServedByANewClaim();

            assertThat(log.messages()).singleElement().asString().contains("requests fail");
        }
    }

    @Test
    void waiterHasAClaimOfItsOwnIfTheOutcomeIsUnknown() {
        answerRenewalsWith(CompletableFuture.completedFuture(List.of(RenewalRequest.Outcome.UNKNOWN)));

        assertThatTheWaiterIsServedByANewClaim();

        assertThat(processes.store.releases).hasValue(1);
    }

    @Test
    void waiterHasAClaimOfItsOwnIfTheStoreAnswersLessThanItWasAsked() {
        answerRenewalsWith(CompletableFuture.completedFuture(List.of()));

        assertThatTheWaiterIsServedByANewClaim();

        assertThat(processes.store.releases).hasValue(1);
    }

    @Test
    void waiterHasAClaimOfItsOwnIfTheLeaseIsGone() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a", LONGER).acquireAsync();
        assertThat(processes.there.lock("a").forceRelease(first.token())).isTrue();
        first.close();
        processes.time.runCallbacks();

        assertThat(waiter).isCompleted();
        assertThat(waiter.join().remaining()).isGreaterThan(Duration.ofSeconds(55));
        assertThat(processes.store.claims).hasSize(2);
        assertThat(processes.store.releases).as("there is nothing to release").hasValue(0);
        assertThat(waiter.join().release()).as("still held").isTrue();
    }

    @Test
    void renewedLeaseThatNoWaiterWantsAnyMoreIsReleased() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a", LONGER).acquireAsync();
        List<Runnable> withheld = withhold();
        first.close();
        processes.store.answers = answer -> answer;
        waiter.cancel(false);
        withheld.forEach(Runnable::run);

        assertThat(processes.store.releases).hasValue(1);
        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void renewedLeaseGoesToTheNextWaiterIfTheFirstGaveUp() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> gaveUp = processes.here.lock("a", LONGER).acquireAsync();
        CompletableFuture<Lease> next = processes.here.lock("a", LONGER).acquireAsync();
        List<Runnable> withheld = withhold();
        first.close();
        processes.store.answers = answer -> answer;
        gaveUp.cancel(false);
        withheld.forEach(Runnable::run);
        processes.time.runCallbacks();

        assertThat(next).isCompleted();
        assertThat(next.join().token()).isEqualTo(first.token() + 1);
        assertThat(next.join().remaining()).isGreaterThan(Duration.ofSeconds(55));
        assertThat(processes.store.claims).hasSize(1);
    }

    @Test
    void leaseThatIsOverBeforeTheRenewalIsAnsweredIsReleasedAndRequestedAgain() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a", LONGER).acquireAsync();
        List<Runnable> withheld = withhold();
        first.close();
        processes.store.answers = answer -> answer;

        processes.time.pass(Duration.ofSeconds(9));
        assertThat(processes.store.claims).as("it may still be renewed").hasSize(1);
        processes.time.pass(Duration.ofSeconds(1));

        assertThat(processes.store.claims).hasSize(2);
        assertThat(waiter).isCompleted();
        int released = processes.store.releases.get();
        withheld.forEach(Runnable::run);
        assertThat(processes.store.releases)
                .as("lengthened after all: it is released once more")
                .hasValue(released + 1);
        assertThat(waiter.join().state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void leaseThatIsGoneWhenTheLateAnswerComesIsNotReleasedAgain() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a", LONGER).acquireAsync();
        CompletableFuture<Object> late = new CompletableFuture<>();
        processes.store.answers = answer -> late;
        first.close();
        processes.store.answers = answer -> answer;
        processes.time.pass(Duration.ofSeconds(10));
        int released = processes.store.releases.get();

        late.complete(List.of(RenewalRequest.Outcome.GONE));

        assertThat(processes.store.releases).hasValue(released);
        assertThat(waiter.join().state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void waiterWithoutRenewalBehindAHolderThatHeldForAWhileGetsAWholeLease() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes
                .here
                .lock(
                        "a",
                        LockOptions.builder().renewal(LockOptions.Renewal.OFF).build())
                .acquireAsync();
        processes.time.pass(Duration.ofMillis(10));
        first.close();
        processes.time.runCallbacks();

        assertThat(processes.store.renewals).hasValue(1);
        assertThat(waiter).isCompleted();
        processes.time.pass(Duration.ofSeconds(5));
        assertThat(processes.store.renewals).as("and is not renewed afterwards").hasValue(1);
    }

    @Test
    void grantWhoseAnswerTookMostOfTheLeaseIsRenewedBeforeItIsUsed() {
        assertThat(renewalsBeforeTheLeaseBegins(Duration.ofSeconds(7))).isOne();
    }

    @Test
    void grantOfWhichExactlyAThirdIsLeftIsUsedAtOnce() {
        assertThat(renewalsBeforeTheLeaseBegins(UNTIL_A_THIRD_IS_LEFT)).isZero();
    }

    @Test
    void shortGrantWhoseRenewalIsNotAnsweredIsReleasedAndRequestedAgain() {
        CompletableFuture<Object> never = new CompletableFuture<>();
        AtomicBoolean brief = new AtomicBoolean(true);
        processes.store.answers = answer -> {
            Object result = answer.join();
            if (result instanceof List<?>) {
                return never;
            }
            boolean granted = result instanceof Optional<?> found && found.isPresent();
            return granted && brief.getAndSet(false) ? answer.thenApply(RenewalForAWaiterTest::shortened) : answer;
        };
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        assertThat(processes.store.renewals).hasValue(1);

        processes.time.pass(Duration.ofMillis(190));
        assertThat(processes.store.claims).hasSize(1);
        processes.time.pass(Duration.ofMillis(20));

        assertThat(processes.store.claims).hasSize(2);
        assertThat(processes.store.releases).hasValue(1);
        assertThat(waiter).isCompleted();
    }

    private static Object shortened(Object result) {
        Grant grant = (Grant) ((Optional<?>) result).orElseThrow();
        return Optional.of(new Grant(
                grant.claim(), grant.firstToken(), grant.tokens(), grant.countsFrom(), Duration.ofMillis(200)));
    }

    private int renewalsBeforeTheLeaseBegins(Duration delay) {
        List<Runnable> withheld = withhold();
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.store.answers = answer -> answer;
        processes.time.pause(delay);
        withheld.forEach(Runnable::run);
        int renewals = processes.store.renewals.get();
        processes.time.runCallbacks();
        assertThat(waiter).isCompleted();
        assertThat(waiter.join().state()).isEqualTo(LeaseState.HELD);
        return renewals;
    }

    private void assertThatTheWaiterIsServedByANewClaim() {
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> waiter = processes.here.lock("a", LONGER).acquireAsync();
        first.close();
        processes.time.runCallbacks();

        assertThat(processes.store.claims).hasSize(2);
        assertThat(waiter).isCompleted();
        assertThat(waiter.join().remaining()).isGreaterThan(Duration.ofSeconds(55));
        assertThat(waiter.join().token()).isGreaterThan(first.token() + 1);
    }

    private void answerRenewalsWith(CompletableFuture<?> outcome) {
        processes.store.answers = answer -> answer.join() instanceof List<?> ? outcome : answer;
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
