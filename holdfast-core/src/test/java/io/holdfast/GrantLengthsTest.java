package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Grant;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Grants that are shorter than requested, answers that are slow, and renewals that only tell the store of a downgrade. */
@SuppressWarnings("LockNotBeforeTry") // what happens outside of the idiom is what is tested
class GrantLengthsTest {

    private static final LockOptions NOT_RENEWED =
            LockOptions.builder().renewal(LockOptions.Renewal.OFF).build();

    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void grantOfNineTenthsNeedsNoConfirmation() {
        promise(Duration.ofSeconds(9));
        Lease lease = processes.here.lock("a").acquire();

        processes.time.pass(Duration.ofSeconds(2));

        assertThat(processes.store.renewals).hasValue(0);
        lease.close();
    }

    @Test
    void shorterGrantIsConfirmedAfterTenMilliseconds() {
        promise(Duration.ofMillis(8_900));
        Lease lease = processes.here.lock("a").acquire();

        processes.time.pass(Duration.ofMillis(9));
        assertThat(processes.store.renewals).hasValue(0);
        processes.time.pass(Duration.ofMillis(1));
        assertThat(processes.store.renewals).hasValue(1);
        lease.close();
    }

    @Test
    void grantOfNineTenthsIsEnoughForALeaseThatIsNotRenewed() {
        promise(Duration.ofSeconds(9));

        Lease lease = processes.here.lock("a", NOT_RENEWED).acquire();

        assertThat(processes.store.renewals).hasValue(0);
        lease.close();
    }

    @Test
    void grantOfOneSecondIsEnoughToBeginWith() {
        promise(Duration.ofSeconds(1));

        Lease lease = processes.here.lock("a").acquire();

        assertThat(processes.store.renewals).hasValue(0);
        lease.close();
    }

    @Test
    void grantOfLessThanOneSecondIsRenewedBeforeTheLeaseBegins() {
        promise(Duration.ofMillis(999));

        Lease lease = processes.here.lock("a").acquire();

        assertThat(processes.store.renewals).hasValue(1);
        lease.close();
    }

    @Test
    void grantThatIsAsLongAsTheHoldMustBeIsEnoughToBeginWith() {
        promise(Duration.ofSeconds(5));
        LockOptions atLeast =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();

        Lease lease = processes.here.lock("a", atLeast).acquire();

        assertThat(processes.store.renewals).hasValue(0);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
    }

    @Test
    void confirmationOfALeaseThatIsHandedOverMeanwhileIsForTheNextHolder() {
        promise(Duration.ofMillis(1_500));
        Lease first = processes.here.lock("a").acquire();
        CompletableFuture<Lease> second = processes.here.lock("a").acquireAsync();
        processes.time.pass(Duration.ofMillis(5));
        first.close();
        processes.time.pass(Duration.ofMillis(5));

        assertThat(processes.store.renewals).hasValue(1);
        assertThat(second.join().remaining()).isGreaterThan(Duration.ofSeconds(9));
    }

    @Test
    void downgradeOfAWriterThatIsNotRenewedIsSentOnceAndDoesNotLengthenIt() {
        ReadWriteLock classic = processes.here.readWriteLock("rw", NOT_RENEWED).asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        Lease lease = processes.here.readWriteLock("rw").readLock().requireHeld();
        processes.time.pass(Duration.ofSeconds(1));
        classic.writeLock().unlock();
        processes.time.pass(Duration.ofMillis(1));
        assertThat(processes.store.renewals).hasValue(1);
        assertThat(processes.there.readWriteLock("rw").readLock().tryAcquire())
                .isPresent()
                .get()
                .satisfies(Lease::close);

        processes.time.pass(Duration.ofMillis(8_896));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(processes.store.renewals).hasValue(1);
        processes.time.pass(Duration.ofMillis(1));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void downgradeThatFailsIsRepeatedAlthoughTheLeaseIsNotRenewed() {
        ReadWriteLock classic = processes.here.readWriteLock("rw", NOT_RENEWED).asReadWriteLock();
        classic.writeLock().lock();
        classic.readLock().lock();
        processes.store.down = true;
        classic.writeLock().unlock();
        processes.time.pass(Duration.ofSeconds(1));
        processes.store.down = false;
        processes.time.pass(Duration.ofSeconds(2));

        assertThat(processes.there.readWriteLock("rw").readLock().tryAcquire()).isPresent();
        int renewals = processes.store.renewals.get();
        processes.time.pass(Duration.ofSeconds(5));
        assertThat(processes.store.renewals).as("it is told").hasValue(renewals);
    }

    @Test
    void renewalsComeBackToEveryThirdAfterSlowAnswers() {
        Lease lease = processes.here.lock("a").acquire();
        processes.store.answers = answer -> {
            CompletableFuture<Object> late = new CompletableFuture<>();
            processes.time.schedule(
                    () -> late.complete(answer.join()), Duration.ofMillis(6_400).toNanos());
            return late;
        };
        processes.time.pass(Duration.ofMinutes(1));
        assertThat(lease.state()).as("with answers after 6.4 s").isNotEqualTo(LeaseState.LOST);
        int before = processes.store.renewals.get();
        processes.time.pass(Duration.ofMinutes(1));
        assertThat(processes.store.renewals.get() - before)
                .as("a minute with slow answers: one every 2.6 s less jitter")
                .isBetween(22, 26);
        processes.store.answers = answer -> answer;
        processes.time.pass(Duration.ofMinutes(1));
        before = processes.store.renewals.get();
        processes.time.pass(Duration.ofMinutes(1));

        assertThat(processes.store.renewals.get() - before)
                .as("a minute with fast answers: one every 3.33 s less jitter")
                .isBetween(18, 19);
        lease.close();
    }

    @Test
    void longHoldIsReportedBeforeTheFirstRenewalIfThatIsItsTime() {
        Holdfast strict = Holdfast.builder(processes.store)
                .environment(processes.time.environment())
                .shutdownGrace(Duration.ZERO)
                .warnAfter(Duration.ofSeconds(1))
                .build();
        try (LogCapture log = new LogCapture()) {
            Lease lease = strict.lock("a").acquire();
            processes.time.pass(Duration.ofMillis(999));
            assertThat(log.messages()).isEmpty();
            processes.time.pass(Duration.ofMillis(1));

            assertThat(log.messages()).hasSize(1);
            lease.close();
        } finally {
            strict.close();
        }
    }

    private void promise(Duration lease) {
        processes.store.answers = answer -> answer.thenApply(result -> result instanceof Optional<?> found
                        && found.orElse(null) instanceof Grant grant
                ? Optional.of(new Grant(grant.claim(), grant.firstToken(), grant.tokens(), grant.countsFrom(), lease))
                : result);
    }
}
