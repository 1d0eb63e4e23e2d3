package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** At which times leases are renewed, on virtual time, and in which order. The default lease time is ten seconds. */
class RenewalTimesTest {

    private final ManualTime time = new ManualTime();
    private final FaultyStore store =
            new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment()));
    private final List<Holdfast> open = new ArrayList<>();
    private final List<LockEvent> events = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Holdfast::close);
        store.close();
    }

    private Holdfast holdfast() {
        return holdfast(time.environment());
    }

    private Holdfast holdfast(Environment environment) {
        Holdfast holdfast = Holdfast.builder(store)
                .environment(environment)
                .shutdownGrace(Duration.ZERO)
                .warnAfter(Duration.ofHours(1))
                .listener(events::add)
                .build();
        open.add(holdfast);
        return holdfast;
    }

    @Test
    void leaseIsRenewedAfterThreeTenthsAndThenEveryThirdLessJitter() {
        Lease lease = holdfast().lock("a").acquire();

        time.pass(Duration.ofMillis(2_999));
        assertThat(store.renewals).hasValue(0);
        time.pass(Duration.ofMillis(1));
        assertThat(store.renewals).hasValue(1);
        // The random number is one half, so 5 % of a third are taken off.
        time.pass(Duration.ofMillis(3_166));
        assertThat(store.renewals).hasValue(1);
        time.pass(Duration.ofMillis(1));
        assertThat(store.renewals).hasValue(2);
        time.pass(Duration.ofSeconds(57));
        assertThat(store.renewals).hasValue(20);
        lease.close();
    }

    @Test
    void renewalsThatAreDueSoonGoAlong() {
        Holdfast holdfast = holdfast();
        Lease first = holdfast.lock("a").acquire();
        time.pass(Duration.ofMillis(400));
        Lease soon = holdfast.lock("b").acquire();
        time.pass(Duration.ofMillis(200));
        Lease later = holdfast.lock("c").acquire();

        time.pass(Duration.ofMillis(2_400));

        assertThat(store.renewals).as("one request").hasValue(1);
        assertThat(soon.remaining()).isEqualTo(first.remaining());
        assertThat(later.remaining()).isLessThan(first.remaining());
        time.pass(Duration.ofMillis(600));
        assertThat(store.renewals).hasValue(2);
        List.of(first, soon, later).forEach(Lease::close);
    }

    @Test
    void permitsOfOneNameAreRenewedEachInItsTime() {
        Holdfast holdfast = holdfast();
        LockOptions brief =
                LockOptions.builder().leaseTime(Duration.ofSeconds(1)).build();
        LockOptions lasting =
                LockOptions.builder().leaseTime(Duration.ofMinutes(1)).build();
        Lease one = holdfast.semaphore("p", 4, lasting).acquire();
        Lease two = holdfast.semaphore("p", 4, brief).acquire();
        Lease three = holdfast.semaphore("p", 4, lasting).acquire();

        time.pass(Duration.ofMinutes(5));

        assertThat(List.of(one, two, three)).allMatch(lease -> lease.state() == LeaseState.HELD);
        assertThat(events).noneMatch(event -> event.kind() == LockEvent.Kind.RENEWAL_FAILED);
        List.of(one, two, three).forEach(Lease::close);
    }

    @Test
    void thereIsOneTimerForAllLeases() {
        Holdfast holdfast = holdfast();
        List<Lease> leases = new ArrayList<>();
        for (int seconds : new int[] {60, 10, 1, 30}) {
            leases.add(holdfast.lock(
                            "n" + seconds,
                            LockOptions.builder()
                                    .leaseTime(Duration.ofSeconds(seconds))
                                    .build())
                    .acquire());
            assertThat(time.timers()).isEqualTo(1);
        }
        time.pass(Duration.ofSeconds(100));
        assertThat(time.timers()).isEqualTo(1);

        leases.forEach(Lease::close);
        holdfast.close();
        assertThat(time.timers()).isZero();
    }

    @Test
    void leaseWithTheLeastTimeLeftIsRenewedFirst() {
        Holdfast holdfast = holdfast();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            leases.add(holdfast.lock("lasting" + i).acquire());
        }
        leases.add(holdfast.lock(
                        "brief",
                        LockOptions.builder().leaseTime(Duration.ofSeconds(9)).build())
                .acquire());
        List<String> first = new ArrayList<>();
        store.failures = name -> {
            first.add(name);
            return null;
        };
        // All of them are due at once.
        time.pause(Duration.ofSeconds(4));

        time.pass(Duration.ofMillis(1));

        assertThat(first).as("the first of each batch of 100").hasSize(7).startsWith("brief");
        assertThat(leases).allMatch(lease -> lease.remaining().compareTo(Duration.ofSeconds(8)) > 0);
        leases.forEach(Lease::close);
    }

    @Test
    void renewalIsRetriedOftenEnoughToSurviveALongOutage() {
        Lease lease = holdfast().lock("a").acquire();
        time.pass(Duration.ofMillis(2_900));
        store.down = true;
        time.pass(Duration.ofMillis(5_100));
        int sent = store.renewals.get();
        store.down = false;
        assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);

        time.pass(Duration.ofMillis(1_800));

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(sent).as("retries with backoff").isBetween(8, 12);
        lease.close();
    }

    @Test
    void answerThatIsShorterThanTheRequestSaysNothingAboutTheRest() {
        Holdfast holdfast = holdfast();
        Lease one = holdfast.lock("a").acquire();
        Lease two = holdfast.lock("b").acquire();
        store.answers = answer ->
                answer.thenApply(result -> result instanceof List<?> ? List.of(RenewalRequest.Outcome.KEPT) : result);

        time.pass(Duration.ofSeconds(3));

        assertThat(List.of(one.state(), two.state())).containsExactlyInAnyOrder(LeaseState.HELD, LeaseState.AT_RISK);
    }

    /** Answers that take more than half of a lease make the next renewals earlier, less so with each fast answer. */
    @Test
    void slowAnswerIsForgottenByAnEighthWithEachAnswer() {
        Lease lease = holdfast().lock("a").acquire();
        CompletableFuture<Object> late = new CompletableFuture<>();
        store.answers = answer -> late;
        time.pass(Duration.ofSeconds(3));
        store.answers = answer -> answer;
        time.pass(Duration.ofMillis(6_800));
        late.complete(List.of(RenewalRequest.Outcome.KEPT));
        assertThat(store.renewals).as("one unanswered, two answered at once").hasValue(3);
        time.pass(Duration.ofMillis(2_700));
        assertThat(store.renewals).hasValue(4);

        // The fourth was answered at once, so 7/8 of 6.8 s count: in 3.05 s, less 5 %, and not in 3.33 s.
        time.pass(Duration.ofMillis(2_850));
        assertThat(store.renewals).hasValue(4);
        time.pass(Duration.ofMillis(100));
        assertThat(store.renewals).hasValue(5);
        lease.close();
    }

    @Test
    void leaseThatTheStoreDoesNotHaveAnyMoreIsLostAtTheNextRenewal() {
        Holdfast holdfast = holdfast();
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync(LockOptions.FOREVER);
        store.answers = answer ->
                answer.thenApply(result -> result instanceof List<?> ? List.of(RenewalRequest.Outcome.GONE) : result);

        time.pass(Duration.ofSeconds(3));

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(store.acquires).as("the waiter's claim is sent").hasValue(2);
        assertThat(waiter).isNotDone();
    }

    @Test
    void answerToARenewalOfALeaseThatWasReleasedMeanwhileChangesNothing() {
        Holdfast holdfast = holdfast();
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Object> late = new CompletableFuture<>();
        store.answers = answer -> answer.join() instanceof List<?> ? late : answer;
        time.pass(Duration.ofSeconds(3));
        lease.close();

        late.complete(List.of(RenewalRequest.Outcome.GONE));
        time.pass(Duration.ofSeconds(1));

        assertThat(lease.state()).isEqualTo(LeaseState.RELEASED);
        assertThat(events).noneMatch(event -> event.kind() == LockEvent.Kind.LOST);
    }

    @Test
    void checkThatKeepsFailingIsRepeatedAfterAPauseEachTime() {
        AtomicBoolean broken = new AtomicBoolean();
        AtomicInteger failed = new AtomicInteger();
        Ticker ticker = new Ticker() {
            @Override
            public long nanos() {
                return time.nanos();
            }

            @Override
            public long wallMicros() {
                return time.wallMicros();
            }

            @Override
            public Moment now() {
                if (broken.get()) {
                    failed.incrementAndGet();
                    throw new IllegalStateException("planted");
                }
                return new Moment(nanos(), wallMicros());
            }
        };
        try (LogCapture log = new LogCapture()) {
            Lease lease = holdfast(new Environment(
                            ticker,
                            (task, delay) -> time.schedule(() -> runQuietly(task), delay),
                            time.environment().executor(),
                            () -> 0.5))
                    .lock("a")
                    .acquire();
            broken.set(true);
            time.pass(Duration.ofSeconds(4));
            broken.set(false);

            assertThat(failed.get()).as("scans in one second").isBetween(5, 11);
            time.pass(Duration.ofSeconds(1));
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(log.messages()).isNotEmpty();
            lease.close();
        }
    }

    @Test
    void failingCheckOfOneNameDoesNotStopTheRenewalOfOthers() {
        AtomicInteger failing = new AtomicInteger();
        DoubleSupplier random = () -> {
            if (failing.getAndDecrement() == 1) {
                throw new IllegalStateException("planted");
            }
            return 0.5;
        };
        try (LogCapture log = new LogCapture()) {
            Holdfast holdfast =
                    holdfast(new Environment(time, time, time.environment().executor(), random));
            Lease one = holdfast.lock("a").acquire();
            Lease two = holdfast.lock("b").acquire();
            failing.set(1);

            time.pass(Duration.ofMillis(3_900));
            assertThat(List.of(one, two))
                    .filteredOn(lease -> lease.remaining().compareTo(Duration.ofSeconds(8)) > 0)
                    .as("renewed")
                    .hasSize(1);
            assertThat(log.messages())
                    .anyMatch(message -> message.contains("A bug in Holdfast: the check of the leases of '"));
            time.pass(Duration.ofMillis(101));
            assertThat(List.of(one, two)).allMatch(lease -> lease.remaining().compareTo(Duration.ofSeconds(8)) > 0);
            one.close();
            two.close();
        }
    }

    @Test
    void longHoldIsReportedOnceAtItsTime() {
        Holdfast holdfast = Holdfast.builder(store)
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .warnAfter(Duration.ofSeconds(20))
                .listener(events::add)
                .build();
        open.add(holdfast);
        try (LogCapture log = new LogCapture()) {
            Lease lease = holdfast.lock("a").acquire();

            time.pass(Duration.ofMillis(19_999));
            assertThat(log.messages()).isEmpty();
            time.pass(Duration.ofMillis(1));
            assertThat(log.messages()).hasSize(1);
            time.pass(Duration.ofMinutes(2));
            assertThat(log.messages()).hasSize(1);
            lease.close();
        }
    }

    @Test
    void renewalsOfUnknownOutcomeAreNoRecoveryFromAnOutage() {
        LockOptions lasting =
                LockOptions.builder().leaseTime(Duration.ofMinutes(10)).build();
        try (LogCapture log = new LogCapture()) {
            Lease lease = holdfast().lock("a", lasting).acquire();
            time.pass(Duration.ofSeconds(179));
            store.down = true;
            time.pass(Duration.ofSeconds(2));
            assertThat(log.messages()).singleElement().asString().contains("requests fail");
            store.down = false;
            store.answers = answer -> answer.thenApply(
                    result -> result instanceof List<?> ? List.of(RenewalRequest.Outcome.UNKNOWN) : result);
            time.pass(Duration.ofMinutes(4));
            assertThat(log.messages()).hasSize(1);
            store.answers = answer -> answer;
            time.pass(Duration.ofMinutes(2));

            assertThat(log.messages()).hasSize(2).last().asString().contains("requests succeed again");
            lease.close();
        }
    }

    private static void runQuietly(Runnable task) {
        try {
            task.run();
        } catch (IllegalStateException planted) {
            assertThat(planted).hasMessage("planted");
        }
    }
}
