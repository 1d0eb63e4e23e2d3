package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a lease ends that is not released: by its deadline, by {@code maxHold}, or because it is not renewed. */
class HoldLimitsTest {

    private static final Duration MARGIN = Duration.ofMillis(102);

    private final TwoProcesses processes = new TwoProcesses();

    @AfterEach
    void close() {
        processes.close();
    }

    private Lease acquire(LockOptions options) {
        return processes.here.lock("a", options).acquire();
    }

    private static LockOptions maxHold(Duration most) {
        return LockOptions.builder().maxHold(most).build();
    }

    @Test
    void maxHoldEndsARenewedLeaseAtThatMoment() {
        Lease lease = acquire(maxHold(Duration.ofSeconds(10)));
        List<String> told = new ArrayList<>();
        lease.onLost(() -> told.add("lost"));
        processes.time.pass(Duration.ofSeconds(3));
        assertThat(lease.remaining()).isEqualTo(Duration.ofSeconds(7));

        processes.time.pass(Duration.ofMillis(6_999));
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(1));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        processes.time.pass(Duration.ofMillis(1));
        processes.time.runCallbacks();

        assertThat(told).as("by the timer, at that moment").containsExactly("lost");
        assertThatThrownBy(lease::ensureHeld)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("lost 10.0 s after it was acquired")
                .hasMessageContaining("it reached maxHold (10.0 s)");
    }

    @Test
    void lastRenewalBeforeMaxHoldAsksForNoMoreThanIsNeeded() {
        Lease lease = acquire(maxHold(Duration.ofSeconds(12)));

        processes.time.pass(Duration.ofSeconds(3));

        assertThat(processes.store.renewals).hasValue(1);
        assertThat(inStore())
                .isLessThanOrEqualTo(Duration.ofSeconds(9).plus(MARGIN))
                .isGreaterThanOrEqualTo(Duration.ofSeconds(9));
        processes.time.pass(Duration.ofMillis(8_999));
        assertThat(processes.store.renewals).as("it is long enough").hasValue(1);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        processes.time.pass(Duration.ofMillis(1));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::close).hasMessageContaining("it reached maxHold (12.0 s)");
    }

    @Test
    void maxHoldFarAwayDoesNotChangeTheRenewals() {
        Lease lease = acquire(maxHold(Duration.ofMinutes(2)));

        processes.time.pass(Duration.ofMinutes(1));

        assertThat(processes.store.renewals).hasValue(19);
        assertThat(inStore()).isGreaterThan(Duration.ofSeconds(6));
        lease.close();
    }

    @Test
    void leaseThatWasNotRenewedSaysThatItsDeadlinePassed() {
        Lease lease = acquire(LockOptions.defaults());
        processes.store.down = true;

        processes.time.pass(Duration.ofMillis(9_897));
        assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);
        processes.time.pass(Duration.ofMillis(1));

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThatThrownBy(lease::ensureHeld)
                .hasMessageContaining("its deadline passed without a successful renewal")
                .hasMessageContaining("9.9 s after it was acquired");
    }

    @Test
    void leaseWithoutRenewalSaysSo() {
        Lease lease =
                acquire(LockOptions.builder().renewal(LockOptions.Renewal.OFF).build());

        processes.time.pass(Duration.ofSeconds(10));

        assertThatThrownBy(lease::ensureHeld).hasMessageContaining("it expired and renewal is off");
    }

    @Test
    void leaseThatDiesBeforeMaxHoldSaysThatItWasNotRenewed() {
        processes.time.pass(Duration.ofMinutes(1));
        Lease lease = acquire(maxHold(Duration.ofSeconds(30)));
        processes.store.down = true;

        processes.time.pass(Duration.ofSeconds(20));

        assertThatThrownBy(lease::ensureHeld).hasMessageContaining("its deadline passed without a successful renewal");
    }

    @Test
    void leaseThatWasReleasedHasNothingLeft() {
        Lease lease = acquire(LockOptions.defaults());
        lease.close();

        assertThat(lease.remaining()).isZero();
        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(lease.release()).as("a second time").isFalse();
    }

    @Test
    void releaseAfterTheDeadlineIsALossAndFreesTheName() {
        Lease lease = acquire(LockOptions.defaults());
        processes.time.pause(Duration.ofMillis(9_900));

        assertThat(lease.release()).isFalse();

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(processes.there.lock("a").tryAcquire())
                .as("the store need not wait for the expiry")
                .isPresent();
    }

    @Test
    void readerThatReachesMaxHoldDoesNotKeepTheOthersFromBeingRenewed() {
        DistributedReadWriteLock brief = processes.here.readWriteLock("rw", maxHold(Duration.ofSeconds(10)));
        DistributedReadWriteLock lasting = processes.here.readWriteLock("rw");
        Lease limited = brief.readLock().acquire();
        Lease other = lasting.readLock().acquire();
        assertThat(other.token()).isEqualTo(limited.token());

        processes.time.pass(Duration.ofMinutes(1));

        assertThat(limited.state()).isEqualTo(LeaseState.LOST);
        assertThat(other.state()).isEqualTo(LeaseState.HELD);
        assertThat(other.release()).isTrue();
        assertThat(processes.there.readWriteLock("rw").writeLock().tryAcquire())
                .as("the body of the first may still be reading")
                .isEmpty();
        assertThatThrownBy(limited::close).isInstanceOf(LeaseLostException.class);
        assertThat(processes.there.readWriteLock("rw").writeLock().tryAcquire()).isPresent();
    }

    @Test
    void lostReaderThatIsClosedTwiceCountsOnce() {
        DistributedReadWriteLock brief = processes.here.readWriteLock("rw", maxHold(Duration.ofSeconds(10)));
        DistributedLock writer = processes.there.readWriteLock("rw").writeLock();
        Lease stays = processes.here.readWriteLock("rw").readLock().acquire();
        Lease one = brief.readLock().acquire();
        Lease two = brief.readLock().acquire();
        assertThat(processes.store.claims).hasSize(1);
        processes.time.pass(Duration.ofSeconds(11));
        stays.close();
        assertThatThrownBy(one::close).isInstanceOf(LeaseLostException.class);
        assertThat(one.release()).isFalse();

        assertThat(writer.tryAcquire())
                .as("the body of the other one may still be reading")
                .isEmpty();
        assertThatThrownBy(two::close).isInstanceOf(LeaseLostException.class);
        assertThat(writer.tryAcquire()).isPresent();
    }

    @Test
    void waiterElsewhereIsServedWhenMaxHoldHasEndedTheLeaseAndItsBody() {
        Lease lease = acquire(maxHold(Duration.ofSeconds(12)));
        CompletableFuture<Lease> waiter = processes.there.lock("a").acquireAsync(LockOptions.FOREVER);
        processes.time.pass(Duration.ofMillis(12_001));
        assertThat(waiter).as("the body may still be running").isNotDone();
        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
        processes.time.runCallbacks();

        assertThat(waiter).isCompleted();
    }

    @Test
    void bodyThatEndsInTimeIsNotTakenForOneThatWasInterrupted() {
        LockOptions interrupting =
                LockOptions.builder().onLoss(LockOptions.OnLoss.INTERRUPT).build();

        String result = processes.here.lock("a", interrupting).<String, RuntimeException>call(lease -> "done");

        assertThat(result).isEqualTo("done");
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void exceptionOfABodyThatWasNotInterruptedIsThrownAndNamesTheLoss() {
        LockOptions interrupting =
                LockOptions.builder().onLoss(LockOptions.OnLoss.INTERRUPT).build();

        assertThatThrownBy(() -> processes.here.lock("a", interrupting).run(lease -> {
                    // No timer fires: the loss is found when the lease is closed.
                    processes.time.pause(Duration.ofSeconds(11));
                    throw new IllegalStateException("of the body");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("of the body")
                .satisfies(
                        thrown -> assertThat(thrown.getSuppressed()).hasOnlyElementsOfType(LeaseLostException.class));
    }

    @Test
    void interruptFromElsewhereIsStillThereAfterTheBody() {
        LockOptions interrupting =
                LockOptions.builder().onLoss(LockOptions.OnLoss.INTERRUPT).build();

        processes
                .here
                .lock("a", interrupting)
                .run(lease -> Thread.currentThread().interrupt());

        assertThat(Thread.interrupted()).isTrue();
    }

    private Duration inStore() {
        return processes.here.lock("a").inspect().holders().get(0).remaining();
    }
}
