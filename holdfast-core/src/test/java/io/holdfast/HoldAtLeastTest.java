package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.LockStore;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.ManualTime;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** On virtual time: {@code holdAtLeast} keeps a name locked after an early release, also if the process ends. */
class HoldAtLeastTest {

    private final String url = "memory:" + UUID.randomUUID();
    private final ManualTime time = new ManualTime();
    private final FaultyStore store = new FaultyStore(new MemoryStoreProvider().open(url, time.environment()));
    private final LogCapture log = new LogCapture();
    private final Holdfast holdfast = Holdfast.builder(store)
            .environment(time.environment())
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
    void holdAtLeastKeepsTheNameAfterAnEarlyRelease() {
        LockOptions options =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();
        Lease lease = holdfast.lock("a", options).acquire();
        time.pass(Duration.ofSeconds(1));
        assertThat(lease.release()).isTrue();

        assertThat(holdfast.lock("a").tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(3_999));
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(1));
        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void restOfHoldAtLeastSurvivesTheProcessByItsOwnLength() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(5))
                .build();
        assertThat(holdfast.lock("a", options).tryRun(lease -> time.pass(Duration.ofSeconds(1))))
                .isTrue();
        // As if the process had ended: nothing of it reaches the store any more.
        store.down = true;

        time.pass(Duration.ofMillis(3_900));
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(100));
        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void permitWithHoldAtLeastIsShortenedToo() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(5))
                .build();
        holdfast.semaphore("s", 2, options).withPermits(2).run(lease -> {});
        store.down = true;

        time.pass(Duration.ofMillis(4_900));
        assertThat(other.semaphore("s", 2).tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(100));
        assertThat(other.semaphore("s", 2).tryAcquire()).isPresent();
    }

    @Test
    void earlyReleaseWithHoldAtLeastTellsThatTheLeaseWasLost() {
        LockOptions options =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();
        Lease lease = holdfast.lock("a", options).acquire();
        assertThat(other.lock("a").forceRelease(lease.token())).isTrue();

        assertThatThrownBy(lease::close).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void restOfHoldAtLeastIsShortenedAgainAfterAnOutage() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(5))
                .build();
        Lease lease = holdfast.lock("a", options).acquire();
        store.down = true;
        assertThat(lease.release()).as("it was ours, as far as is known").isTrue();
        time.pass(Duration.ofSeconds(1));
        store.down = false;
        time.pass(Duration.ofSeconds(2));
        store.down = true;

        time.pass(Duration.ofMillis(1_900));
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(200));
        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    /** Two connections are not ordered: a renewal may be executed after the request to shorten the same lease. */
    @Test
    void renewalThatIsExecutedAfterTheShorteningDoesNotKeepTheName() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(20))
                .build();
        Lease lease = holdfast.lock("a", options).acquire();
        store.delaysRenewals = true;
        time.pass(Duration.ofSeconds(9));
        assertThat(store.delayed).as("a renewal is under way").hasSize(1);
        assertThat(lease.release()).isTrue();

        store.sendDelayed();
        // As if the process had ended then.
        store.down = true;

        time.pass(Duration.ofMillis(10_900));
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(200));
        assertThat(other.lock("a").tryAcquire()).isPresent();
    }

    @Test
    void renewalsOfLeasesThatWereReleasedSinceTheScanAreNotSent() {
        int batch = 500;
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(20))
                .build();
        Map<String, Lease> leases = new HashMap<>();
        for (int i = 0; i < 2 * batch; i++) {
            leases.put("n" + i, holdfast.lock("n" + i, options).acquire());
        }
        List<String> renewed = new ArrayList<>();
        store.renewed = name -> {
            renewed.add(name);
            if (renewed.size() == batch) {
                leases.keySet().removeAll(renewed);
                leases.values().forEach(Lease::release);
            }
        };
        time.pass(Duration.ofSeconds(9));

        assertThat(leases).hasSize(batch);
        assertThat(renewed).hasSize(batch).doesNotContainAnyElementsOf(leases.keySet());
        store.down = true;
        time.pass(Duration.ofSeconds(12));
        assertThat(leases.keySet())
                .as("no renewal is awaited, and the hold is over")
                .allMatch(name -> other.lock(name).tryAcquire().isPresent());
    }

    @Test
    void releaseFollowsAtTheEndOfTheHoldEvenIfTheLeaseCouldNotBeShortened() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofSeconds(25))
                .holdAtLeast(Duration.ofSeconds(5))
                .build();
        Lease lease = holdfast.lock("a", options).acquire();
        store.failsShortening = true;
        assertThat(lease.release()).as("it was ours, as far as is known").isTrue();
        // Other requests are answered, so there is no outage.
        holdfast.lock("b").acquire().close();

        time.pass(Duration.ofMillis(4_900));
        assertThat(other.lock("a").tryAcquire()).isEmpty();
        time.pass(Duration.ofMillis(200));

        assertThat(other.lock("a").tryAcquire()).isPresent();
        assertThat(log.messages()).anyMatch(line -> line.contains("locked for the rest of holdAtLeast only"));
    }

    @Test
    void leaseThatNoCodeHasSeenIsNotHeldForHoldAtLeast() {
        LockOptions options =
                LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();
        Lease taken = other.lock("b").acquire();

        assertThat(holdfast.lockSet(List.of("a", "b"), options).tryAcquire()).isEmpty();

        assertThat(other.lock("a").tryAcquire()).isPresent();
        taken.close();
    }

    @Test
    void holdAtLeastIsRefusedWhereALeaseEndsWithItsSession() {
        LockStore sessions = new MemoryStoreProvider().open(url, time.environment());
        Capabilities its = sessions.capabilities();
        LockStore ending = (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, args) -> method.getName().equals("capabilities")
                        ? new Capabilities(its.name(), its.queue(), its.sharing(), Capabilities.Expiry.SESSION)
                        : method.invoke(sessions, args));
        try (Holdfast onSessions =
                Holdfast.builder(ending).environment(time.environment()).build()) {
            LockOptions options =
                    LockOptions.builder().holdAtLeast(Duration.ofSeconds(5)).build();

            assertThatThrownBy(() -> onSessions.lock("a", options))
                    .isInstanceOf(UnsupportedCapabilityException.class)
                    .hasMessageContaining("holdAtLeast (PT5S)");
        }
    }
}
