package io.holdfast.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored") // what the store does is seen elsewhere
class MemoryStoreTest {

    private final ManualTime time = new ManualTime();
    private final MemoryStore store = MemoryStore.open(time.environment());
    private long sequence;

    @Test
    void secondInTheQueueIsServedWhenTheFirstLetsItsLeaseRunOut() {
        Claim holder = claim(Duration.ofSeconds(60));
        store.acquire(holder);
        CompletableFuture<Optional<Grant>> brief = store.acquire(claim(Duration.ofMillis(500)));
        CompletableFuture<Optional<Grant>> second = store.acquire(claim(Duration.ofSeconds(60)));
        store.release(holder);
        assertThat(brief).isCompleted();
        time.pass(Duration.ofMillis(499));
        assertThat(second).isNotDone();
        time.pass(Duration.ofMillis(1));

        assertThat(second).isCompleted();
    }

    @Test
    void longQueueIsCountedInFullAndShownFromItsHead() {
        store.acquire(claim(Duration.ofSeconds(60)));
        List<Owner> arrivals = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            Claim waiting = labelled("guest " + i);
            store.acquire(waiting);
            arrivals.add(waiting.owner());
        }

        LockInfo info = store.inspect(NameFilter.exactly("a")).join().get(0);

        assertThat(info.waiters()).isEqualTo(150);
        assertThat(info.queue())
                .extracting(LockInfo.Waiting::owner)
                .isEqualTo(arrivals.subList(0, LockInfo.QUEUE_SHOWN));
    }

    @Test
    void withdrawnClaimsLeaveNoTimer() {
        store.acquire(claim(Duration.ofHours(20)));
        for (int i = 0; i < 100; i++) {
            Claim waiting = claim(Duration.ofSeconds(1));
            store.acquire(waiting);
            store.release(waiting);
        }

        assertThat(time.timers()).isZero();
    }

    @Test
    void renewedLeaseIsNotTakenForExpired() {
        Claim holder = claim(Duration.ofSeconds(1));
        store.acquire(holder);
        CompletableFuture<Optional<Grant>> waiting = store.acquire(claim(Duration.ofSeconds(1)));
        for (int i = 0; i < 20; i++) {
            time.pass(Duration.ofMillis(500));
            store.renew(List.of(new RenewalRequest(holder, Duration.ofSeconds(1))));
            assertThat(waiting).isNotDone();
        }
        time.pass(Duration.ofSeconds(1));
        assertThat(waiting).isCompleted();
    }

    @Test
    void leasesThatRanOutAreForgottenEvenIfNobodyAsksForThemAgain() {
        for (int i = 0; i < 500; i++) {
            store.acquire(named("crashed:" + i, Duration.ofSeconds(1)));
        }
        time.pass(Duration.ofSeconds(2));
        for (int i = 0; i < 2_000; i++) {
            Claim busy = named("busy", Duration.ofSeconds(1));
            store.acquire(busy);
            store.release(busy);
        }

        assertThat(store.names()).isZero();
    }

    @Test
    void leasesThatRanOutAreForgottenByTheShortCutToo() {
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            LockOptions brief = LockOptions.builder()
                    .renewal(LockOptions.Renewal.OFF)
                    .leaseTime(Duration.ofSeconds(1))
                    .build();
            List<Lease> lost = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                lost.add(holdfast.lock("crashed:" + i, brief).acquire());
            }
            time.pass(Duration.ofSeconds(2));
            for (int i = 0; i < 2_000; i++) {
                holdfast.lock("busy").acquire().close();
            }
            assertThat(lost).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.LOST));
        }

        assertThat(store.names()).isZero();
    }

    @Test
    void manyHoldersOfOneNameAreRenewedAndGivenBack() {
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            DistributedSemaphore many = holdfast.semaphore("many", 1_000_000);
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 50_000; i++) {
                leases.add(many.acquire());
            }
            time.pass(Duration.ofSeconds(30));
            assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
            leases.forEach(Lease::close);
        }
        assertThat(store.names()).isZero();
    }

    @Test
    void newHeadOfTheQueueIsWatchedAfterAClaimOfAnotherSize() {
        store.acquire(claim(Duration.ofSeconds(10)));
        CompletableFuture<Optional<Grant>> second = store.acquire(claim(Duration.ofSeconds(10)));
        CompletableFuture<Optional<Grant>> third = store.acquire(claim(Duration.ofSeconds(10)));
        time.pause(Duration.ofSeconds(10));
        Claim odd = claim(Duration.ofSeconds(10));
        store.acquire(new Claim(odd.name(), odd.id(), odd.mode(), 1, 2, odd.lease(), 1, odd.owner()));
        assertThat(second).isCompleted();
        time.pass(Duration.ofSeconds(11));

        assertThat(third).as("nobody renews the second").isCompleted();
    }

    @Test
    void claimOfAnotherSizeFailsAndDoesNotHideThePromotionOfOthers() {
        store.acquire(claim(Duration.ofSeconds(1)));
        CompletableFuture<Optional<Grant>> waiting = store.acquire(claim(Duration.ofSeconds(60)));
        time.pause(Duration.ofSeconds(2));
        Claim odd = new Claim(
                "a", new ClaimId(1, 99), Claim.Mode.WAIT, 1, 2, Duration.ofSeconds(1), 1, new Owner("host", 1, "", ""));

        assertThat(store.acquire(odd)).isCompletedExceptionally();
        assertThat(waiting).isCompleted();
    }

    private Claim claim(Duration lease) {
        return named("a", lease);
    }

    private Claim named(String name, Duration lease) {
        return claim(name, lease, "");
    }

    private Claim labelled(String label) {
        return claim("a", Duration.ofSeconds(60), label);
    }

    private Claim claim(String name, Duration lease, String label) {
        return new Claim(
                name, new ClaimId(1, ++sequence), Claim.Mode.WAIT, 1, 1, lease, 1, new Owner("host", 1, "", label));
    }
}
