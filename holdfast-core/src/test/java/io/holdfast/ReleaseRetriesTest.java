package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.LogCapture;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Releases that the store does not answer: how long they are retried, and who waits for them. */
class ReleaseRetriesTest {

    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void releaseIsRetriedUntilTheLeaseMustHaveExpired() {
        Lease lease = processes.here.lock("a").acquire();
        processes.store.down = true;
        lease.close();

        processes.time.pass(Duration.ofSeconds(8));
        int tries = processes.store.releases.get();
        assertThat(tries).as("with backoff").isBetween(7, 15);
        processes.time.pass(Duration.ofSeconds(3));
        int last = processes.store.releases.get();
        processes.time.pass(Duration.ofMinutes(5));
        assertThat(processes.store.releases).as("no longer than a lease").hasValue(last);
    }

    @Test
    void outageOfNearlyALeaseStillEndsWithARelease() {
        LockOptions lasting =
                LockOptions.builder().leaseTime(Duration.ofMinutes(1)).build();
        Lease lease = processes.here.lock("a", lasting).acquire();
        processes.store.down = true;
        lease.close();
        processes.time.pass(Duration.ofSeconds(30));
        processes.store.down = false;

        processes.time.pass(Duration.ofSeconds(21));

        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void outageThatEndsShortlyBeforeTheExpiryStillEndsWithARelease() {
        Lease lease = processes.here.lock("a").acquire();
        processes.store.down = true;
        lease.close();
        processes.time.pass(Duration.ofSeconds(8));
        processes.store.down = false;
        processes.time.pass(Duration.ofSeconds(1));

        assertThat(processes.there.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void releaseThatFailsIsLoggedAsAnOutageAndItsRetryAsTheRecovery() {
        try (LogCapture log = new LogCapture()) {
            Lease lease = processes.here.lock("a").acquire();
            processes.store.down = true;
            lease.close();
            assertThat(log.messages()).singleElement().asString().contains("requests fail");
            processes.store.down = false;
            processes.time.pass(Duration.ofMinutes(1));

            assertThat(log.messages()).hasSize(2).last().asString().contains("requests succeed again");
        }
    }

    @Test
    void releaseThatIsAnsweredAtOnceIsTheRecoveryFromAnOutage() {
        try (LogCapture log = new LogCapture()) {
            processes.store.failures = name -> new TimeoutException("no answer");
            // The attempt fails, and its withdrawal does not.
            assertThatThrownBy(() -> processes.here.lock("a").tryAcquire())
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(processes.store.releases).hasValue(1);
            processes.time.pass(Duration.ofMinutes(1));

            assertThat(log.messages()).hasSize(2).last().asString().contains("requests succeed again");
        }
    }

    @Test
    void withdrawalIsRetriedForAMinuteLongerThanTheLease() {
        CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        waiter.join().close();
        Lease there = processes.there.lock("a").acquire();
        CompletableFuture<Lease> gaveUp = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.store.down = true;
        gaveUp.cancel(false);

        processes.time.pass(Duration.ofSeconds(60));
        int tries = processes.store.releases.get();
        processes.time.pass(Duration.ofSeconds(9));
        assertThat(processes.store.releases).hasValueGreaterThan(tries);
        processes.time.pass(Duration.ofSeconds(5));
        int last = processes.store.releases.get();
        processes.time.pass(Duration.ofMinutes(5));
        assertThat(processes.store.releases).hasValue(last);
        there.close();
    }

    @Test
    void releaseThatIsGivenUpIsLoggedIfOtherRequestsAreAnswered() {
        try (LogCapture log = new LogCapture()) {
            Lease lease = processes.here.lock("a").acquire();
            failReleases();
            lease.close();
            answerOtherRequestsFor(Duration.ofSeconds(12));

            assertThat(log.messages())
                    .anyMatch(message -> message.contains("The store did not answer the release of 'a'"))
                    .noneMatch(message -> message.contains("nor its withdrawal"));
        }
    }

    @Test
    void withdrawalThatIsGivenUpIsLoggedAsOne() {
        Lease there = processes.there.lock("a").acquire();
        try (LogCapture log = new LogCapture()) {
            CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
            failReleases();
            waiter.cancel(false);
            answerOtherRequestsFor(Duration.ofSeconds(75));

            assertThat(log.messages())
                    .anyMatch(message -> message.contains("nor its withdrawal"))
                    .noneMatch(message -> message.contains("did not answer the release of"));
        }
        there.close();
    }

    @Test
    void releaseOfALongLeaseIsNotRetriedForItsWholeTimeAfterTheHoldfastWasClosed() {
        LockOptions day = LockOptions.builder().leaseTime(Duration.ofDays(1)).build();
        Lease lease = processes.here.lock("a", day).acquire();
        processes.store.down = true;
        lease.close();
        processes.here.close();
        processes.time.pass(Duration.ofHours(10));
        int tries = processes.store.releases.get();

        processes.time.pass(Duration.ofHours(13));

        assertThat(processes.store.releases).hasValue(tries);
    }

    @Test
    void releaseThatIsAnsweredLaterTellsWhetherTheLeaseWasStillHeld() {
        Lease held = processes.here.lock("a").acquire();
        Lease revoked = processes.here.lock("b").acquire();
        assertThat(processes.there.lock("b").forceRelease(revoked.token())).isTrue();
        List<Runnable> withheld = new ArrayList<>();
        processes.store.answers = answer -> {
            CompletableFuture<Object> late = new CompletableFuture<>();
            withheld.add(() -> late.complete(answer.join()));
            return late;
        };
        CompletableFuture<Boolean> ours = held.releaseAsync();
        CompletableFuture<Boolean> notOurs = revoked.releaseAsync();
        assertThat(ours).isNotDone();
        assertThat(notOurs).isNotDone();

        withheld.forEach(Runnable::run);
        processes.time.runCallbacks();

        assertThat(ours).isCompletedWithValue(true);
        assertThat(notOurs).isCompletedWithValue(false);
        assertThat(revoked.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void releaseThatIsAnsweredAtOnceTellsWhetherTheLeaseWasStillHeld() {
        Lease revoked = processes.here.lock("b").acquire();
        assertThat(processes.there.lock("b").forceRelease(revoked.token())).isTrue();

        assertThatThrownBy(revoked::close).isInstanceOf(LeaseLostException.class);
        assertThat(processes.here.lock("b").acquire().release()).isTrue();
    }

    @Test
    void storeWithoutAnAnswerToTheReleaseIsNotTakenForALoss() {
        Lease lease = processes.here.lock("a").acquire();
        processes.store.answers = answer -> CompletableFuture.failedFuture(new TimeoutException("no answer"));

        assertThat(lease.release()).isTrue();

        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
    }

    /** With a grace of minutes: a close that does not notice the answer would exceed every timeout. */
    @Test
    void closeWaitsForReleasesThatAreNotAnswered() throws Exception {
        Holdfast holdfast = Holdfast.builder(processes.store)
                .environment(processes.time.environment())
                .shutdownGrace(Duration.ofMinutes(30))
                .build();
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Object> late = new CompletableFuture<>();
        processes.store.answers = answer -> late;
        CompletableFuture<Boolean> released = lease.releaseAsync();
        processes.store.answers = answer -> answer;
        Thread closing = new Thread(holdfast::close);
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING && closing.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(closing.isAlive()).as("close() waits").isTrue();

        late.complete(true);
        closing.join(TimeUnit.SECONDS.toMillis(60));

        assertThat(closing.isAlive()).isFalse();
        processes.time.runCallbacks();
        assertThat(released).isCompletedWithValue(true);
    }

    @Test
    void closeEndsItsWaitWhenARetriedReleaseIsGivenUp() throws Exception {
        Holdfast holdfast = Holdfast.builder(processes.store)
                .environment(processes.time.environment())
                .shutdownGrace(Duration.ofMinutes(30))
                .build();
        Lease lease = holdfast.lock("a").acquire();
        processes.store.down = true;
        lease.close();
        Thread closing = new Thread(holdfast::close);
        closing.start();
        while (closing.getState() != Thread.State.TIMED_WAITING && closing.isAlive()) {
            Thread.onSpinWait();
        }
        assertThat(closing.isAlive()).as("close() waits").isTrue();

        processes.time.pass(Duration.ofSeconds(11));
        closing.join(TimeUnit.SECONDS.toMillis(60));

        assertThat(closing.isAlive()).isFalse();
    }

    private void failReleases() {
        processes.store.answers = answer -> answer.join() instanceof Boolean
                ? CompletableFuture.failedFuture(new TimeoutException("no answer"))
                : answer;
    }

    private void answerOtherRequestsFor(Duration duration) {
        for (long tenths = duration.toMillis() / 100; tenths > 0; tenths--) {
            processes.time.pass(Duration.ofMillis(100));
            assertThat(processes.here.lock("other").inspect().isFree()).isTrue();
            Lease other = processes.here.lock("other" + tenths).acquire();
            processes.time.runCallbacks();
            assertThat(other.state()).isEqualTo(LeaseState.HELD);
        }
    }
}
