package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several names at once: all or nothing, in one order, within one deadline. */
class LockSetTest {

    private final TwoProcesses processes = new TwoProcesses();
    private final Holdfast here = processes.here;
    private final Holdfast there = processes.there;

    @AfterEach
    void close() {
        processes.close();
    }

    @Test
    void namesAreTakenInOneOrderAndOnceEach() {
        LockSet set = here.lockSet("c", "a", "b", "a");
        assertThat(set.names()).containsExactly("a", "b", "c");
        try (LeaseSet leases = set.acquire()) {
            assertThat(leases.names()).containsExactly("a", "b", "c");
            assertThat(leases.state()).isEqualTo(LeaseState.HELD);
            assertThat(leases.remaining()).isPositive();
            for (String name : set.names()) {
                assertThat(there.lock(name).tryAcquire()).isEmpty();
                assertThat(leases.lease(name).token())
                        .isEqualTo(here.lock(name).inspect().holders().get(0).token());
            }
            leases.lease("a").close();
            assertThat(leases.lease("a").state()).as("the set gives it back").isEqualTo(LeaseState.HELD);
            assertThatThrownBy(() -> leases.lease("d")).hasMessage("'d' is not in the set: [a, b, c]");
        }
        assertThat(here.inspect("", 10)).isEmpty();
    }

    @Test
    void whatIsMissingLeavesNothingBehind() {
        Lease taken = there.lock("b").acquire();
        LockSet set = here.lockSet("a", "b", "c");
        assertThat(set.tryAcquire()).isEmpty();
        assertThat(set.tryAcquireAsync().join()).isEmpty();
        assertThatThrownBy(() -> set.acquire(Duration.ZERO))
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("lock 'b'");
        CompletableFuture<LeaseSet> waiting = set.acquireAsync(Duration.ofSeconds(1));
        assertThat(there.lock("a").tryAcquire())
                .as("taken while it waits for b")
                .isEmpty();
        processes.time.pass(Duration.ofSeconds(2));
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LockTimeoutException.class);
        assertThat(here.inspect("", 10)).extracting(LockInfo::name).containsExactly("b");
        assertThat(here.inspect("", 10).get(0).waiters()).isZero();
        taken.close();
    }

    @Test
    void oneDeadlineIsForAllOfThem() {
        Lease a = there.lock("a").acquire();
        Lease b = there.lock("b").acquire();
        CompletableFuture<LeaseSet> waiting = here.lockSet("a", "b").acquireAsync(Duration.ofSeconds(4));
        processes.time.pass(Duration.ofSeconds(3));
        a.close();
        processes.time.pass(Duration.ofMillis(500));
        assertThat(waiting).isNotDone();
        processes.time.pass(Duration.ofSeconds(1));
        assertThat(waiting).isCompletedExceptionally();
        assertThat(there.lock("a").tryAcquire()).as("given back").isPresent();
        b.close();
    }

    @Test
    void cancellingGivesBackWhatWasTaken() {
        Lease b = there.lock("b").acquire();
        CompletableFuture<LeaseSet> waiting = here.lockSet("a", "b").acquireAsync();
        waiting.cancel(false);
        processes.time.runCallbacks();
        assertThat(there.lock("a").tryAcquire()).isPresent();
        assertThat(there.lock("b").inspect().waiters()).isZero();
        b.close();
        assertThat(there.lock("b").inspect().isFree()).isTrue();
    }

    @Test
    void waiterIsServedWhenTheLastOneComesFree() {
        Lease c = there.lock("c").acquire();
        CompletableFuture<LeaseSet> waiting = here.lockSet("c", "b", "a").acquireAsync();
        c.close();
        processes.time.runCallbacks();
        LeaseSet leases = waiting.join();
        assertThat(leases.release()).isTrue();
        assertThat(leases.release()).as("once").isFalse();
        leases.close();
    }

    @Test
    void lossOfOneIsTheLossOfTheSetAndToldOnce() {
        AtomicInteger told = new AtomicInteger();
        LeaseSet leases = here.lockSet("a", "b", "c").acquire();
        leases.onLost(told::incrementAndGet);
        there.lock("b").forceRelease(leases.lease("b").token());
        there.lock("c").forceRelease(leases.lease("c").token());
        processes.time.pass(Duration.ofSeconds(5));
        assertThat(told).hasValue(1);
        assertThat(leases.state()).isEqualTo(LeaseState.LOST);
        assertThat(leases.lease("a").state()).isEqualTo(LeaseState.HELD);
        assertThatThrownBy(leases::ensureHeld).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(leases::close)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("lock 'b'")
                .satisfies(lost -> assertThat(lost.getSuppressed()).hasSize(1));
        assertThat(here.inspect("", 10)).isEmpty();
    }

    @Test
    void oneThatIsLostBeforeTheLastIsTakenMakesNoSet() {
        LockOptions brief = LockOptions.builder()
                .renewal(LockOptions.Renewal.OFF)
                .leaseTime(Duration.ofSeconds(2))
                .maxWait(Duration.ofSeconds(8))
                .build();
        Lease b = there.lock("b").acquire();
        CompletableFuture<LeaseSet> waiting =
                here.lockSet(List.of("a", "b"), brief).acquireAsync();
        processes.time.pass(Duration.ofSeconds(3));
        b.close();
        processes.time.runCallbacks();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(LeaseLostException.class);
        assertThat(here.inspect("", 10)).isEmpty();
    }

    @Test
    void noNamesAndBadNamesAreRefused() {
        assertThatThrownBy(() -> here.lockSet()).hasMessage("A lock set has at least one name.");
        assertThatThrownBy(() -> here.lockSet("a", " "))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be blank");
    }

    @Test
    void setsThatOverlapInAnyOrderDoNotBlockEachOther() throws Exception {
        AtomicInteger[] inside = {new AtomicInteger(), new AtomicInteger(), new AtomicInteger()};
        List<List<String>> orders = List.of(List.of("0", "1"), List.of("1", "0"), List.of("2", "1"), List.of("0", "2"));
        try (Holdfast one = Holdfast.connect("memory:lock-sets");
                Holdfast two = Holdfast.connect("memory:lock-sets")) {
            ExecutorService pool = Executors.newFixedThreadPool(8);
            try {
                List<Future<?>> bodies = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    List<String> names = orders.get(i % 4);
                    LockSet set = (i < 4 ? one : two)
                            .lockSet(
                                    names,
                                    LockOptions.builder()
                                            .maxWait(Duration.ofMinutes(1))
                                            .build());
                    bodies.add(pool.submit(() -> {
                        for (int n = 0; n < 300; n++) {
                            try (LeaseSet leases = set.acquire()) {
                                for (String name : leases.names()) {
                                    assertThat(inside[Integer.parseInt(name)].incrementAndGet())
                                            .isEqualTo(1);
                                }
                                leases.names().forEach(name -> inside[Integer.parseInt(name)].decrementAndGet());
                            }
                        }
                    }));
                }
                for (Future<?> body : bodies) {
                    body.get();
                }
            } finally {
                pool.shutdownNow();
            }
            assertThat(one.inspect("", 10)).isEmpty();
        }
    }
}
