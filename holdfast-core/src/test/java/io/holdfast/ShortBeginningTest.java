package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Grant;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On virtual time: a store that promises little to begin with, as one does that pushes its grants to those who wait. */
class ShortBeginningTest {

    private static final Duration WINDOW = Duration.ofMillis(1_500);

    private final String url = "memory:" + UUID.randomUUID();
    private final ManualTime time = new ManualTime();
    private final FaultyStore store = new FaultyStore(new MemoryStoreProvider().open(url, time.environment()));
    private final Holdfast holdfast = Holdfast.builder(store)
            .environment(time.environment())
            .shutdownGrace(Duration.ZERO)
            .build();

    @AfterEach
    void close() {
        holdfast.close();
        store.close();
    }

    @Test
    void aLeaseThatIsRenewedBeginsAtOnceAndIsConfirmedSoon() {
        promise(WINDOW);

        Lease lease = holdfast.lock("a").acquire();

        assertThat(store.renewals).as("nothing was requested first").hasValue(0);
        assertThat(lease.remaining()).isLessThan(WINDOW).isPositive();
        time.pass(Duration.ofMillis(10));
        assertThat(store.renewals).hasValue(1);
        assertThat(lease.remaining()).as("the whole lease, once confirmed").isGreaterThan(Duration.ofSeconds(9));
        time.pass(Duration.ofSeconds(2));
        assertThat(store.renewals)
                .as("the next after a third of the whole lease")
                .hasValue(1);
        time.pass(Duration.ofMinutes(1));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        lease.close();
    }

    @Test
    void aShortSectionNeedsNoConfirmation() {
        promise(WINDOW);
        holdfast.lock("a").run(lease -> time.pass(Duration.ofMillis(9)));
        time.pass(WINDOW);

        assertThat(store.renewals).hasValue(0);
    }

    @Test
    void theConfirmationIsRetriedWithinTheWindow() {
        promise(WINDOW);
        Lease lease = holdfast.lock("a").acquire();
        store.answers = answer -> new CompletableFuture<>();

        time.pass(Duration.ofMillis(1_200));

        assertThat(store.renewals).as("requests of which none was answered").hasValueGreaterThanOrEqualTo(3);
        store.answers = answer -> answer;
        time.pass(Duration.ofMillis(270));
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(8));
        lease.close();
    }

    @Test
    void manyHandOffsAreConfirmedTogether() {
        promise(WINDOW);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            leases.add(holdfast.lock("n" + i).acquire());
            time.pass(Duration.ofMillis(1));
        }

        time.pass(Duration.ofMillis(70));

        assertThat(store.renewals).as("requests for 20 leases").hasValueLessThanOrEqualTo(5);
        assertThat(leases).allMatch(lease -> lease.remaining().compareTo(Duration.ofSeconds(8)) > 0);
        leases.forEach(Lease::close);
    }

    @Test
    void aLeaseWithoutConfirmationIsOverWhenTheBeginningIs() {
        promise(WINDOW);
        Lease lease = holdfast.lock("a").acquire();
        store.down = true;

        time.pass(WINDOW);

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    void aLeaseThatIsNotRenewedBeginsAfterTheConfirmation() {
        promise(WINDOW);
        LockOptions once =
                LockOptions.builder().renewal(LockOptions.Renewal.OFF).build();

        Lease lease = holdfast.lock("a", once).acquire();

        assertThat(store.renewals).hasValue(1);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(9));
        lease.close();
    }

    @Test
    void aHoldThatHasToLastLongerBeginsAfterTheConfirmation() {
        promise(WINDOW);
        LockOptions atLeast =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();

        Lease lease = holdfast.lock("a", atLeast).acquire();

        assertThat(store.renewals).hasValue(1);
        lease.close();
    }

    @Test
    void itIsPassedOnInThisProcessWithoutAsking() {
        promise(WINDOW);
        Lease first = holdfast.lock("a").acquire();
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync();

        first.close();
        time.runCallbacks();

        assertThat(second).isDone();
        assertThat(store.renewals).hasValue(0);
        assertThat(second.join().token()).isEqualTo(first.token() + 1);
        second.join().close();
    }

    @Test
    void tooLittleIsRenewedFirst() {
        promise(Duration.ofMillis(200));

        Lease lease = holdfast.lock("a").acquire();

        assertThat(store.renewals).hasValue(1);
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(9));
        lease.close();
    }

    private void promise(Duration lease) {
        store.answers = answer -> answer.thenApply(result -> result instanceof Optional<?> found
                        && found.orElse(null) instanceof Grant grant
                ? Optional.of(new Grant(grant.claim(), grant.firstToken(), grant.tokens(), grant.countsFrom(), lease))
                : result);
    }
}
