package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.LogCapture;
import io.holdfast.testing.ManualTime;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.Test;

/** When renewals are sent, and that no scan of the leases fails in silence. */
class RenewalSchedulingTest {

    private static final LockOptions ONE_SECOND =
            LockOptions.builder().leaseTime(Duration.ofSeconds(1)).build();
    private static final LockOptions TWO_SECONDS =
            LockOptions.builder().leaseTime(Duration.ofSeconds(2)).build();

    /** A store becomes slower, up to 1.5 s for the answer to a renewal of a 2 s lease: one every third of a lease is too late. */
    @Test
    void slowAnswersDoNotLoseLeases() {
        ManualTime time = new ManualTime();
        FaultyStore store =
                new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment()));
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                leases.add(holdfast.lock("n" + i, TWO_SECONDS).acquire());
                time.pass(Duration.ofMillis(7));
            }
            long start = time.nanos();
            store.answers = answer -> {
                CompletableFuture<Object> late = new CompletableFuture<>();
                // 50 ms more in each second.
                Duration delay = Duration.ofMillis(900 + Math.min(600, (time.nanos() - start) / 20_000_000L));
                time.schedule(() -> late.complete(answer.join()), delay.toNanos());
                return late;
            };

            time.pass(Duration.ofSeconds(30));

            assertThat(leases).allMatch(lease -> lease.state() != LeaseState.LOST);
            store.answers = answer -> answer;
            leases.forEach(Lease::close);
        }
    }

    /** As where no thread can be started, for a moment. */
    @Test
    void timerThatIsRefusedDoesNotKeepOthersFromBeingSet() {
        ManualTime time = new ManualTime();
        AtomicBoolean refuses = new AtomicBoolean();
        Scheduler scheduler = (task, delay) -> {
            if (refuses.get()) {
                throw new RejectedExecutionException("no thread");
            }
            return time.schedule(task, delay);
        };
        Environment environment =
                new Environment(time, scheduler, time.environment().executor(), () -> 0.5);
        LockStore store = new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), time.environment());
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(environment)
                .shutdownGrace(Duration.ZERO)
                .build()) {
            refuses.set(true);
            assertThatThrownBy(() -> holdfast.lock("first", TWO_SECONDS).acquire())
                    .isInstanceOf(RejectedExecutionException.class);
            refuses.set(false);
            Lease lease = holdfast.lock("held", TWO_SECONDS).acquire();
            refuses.set(true);
            // It needs a timer that is earlier than the present one.
            assertThatThrownBy(() -> holdfast.lock("shorter", ONE_SECOND).acquire())
                    .isInstanceOf(RejectedExecutionException.class);
            refuses.set(false);

            time.pass(Duration.ofSeconds(10));

            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            lease.close();
        }
    }

    /** A store that is slow because it has much to do must not get more to do. */
    @Test
    void storeOfLimitedThroughputRecoversFromAStall() {
        for (double load : new double[] {0.3, 0.6, 0.8}) {
            for (int stall : new int[] {500, 1_000}) {
                assertThat(lostAfter(load, Duration.ofMillis(stall)))
                        .as("leases lost at a load of %s after a stall of %s ms", load, stall)
                        .isZero();
            }
        }
    }

    private static long lostAfter(double load, Duration stall) {
        ManualTime time = new ManualTime();
        int names = 500;
        // 1.6 renewals of a lease in a second are one every 31 % of 2 s.
        long service = (long) (1e9 * load / (names * 1.6));
        AtomicLong busyUntil = new AtomicLong(time.nanos());
        Environment environment = new Environment(time, time, time.environment().executor(), new Random(1)::nextDouble);
        FaultyStore store = new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), environment));
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(environment)
                .shutdownGrace(Duration.ZERO)
                .build()) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < names; i++) {
                leases.add(holdfast.lock("n" + i, TWO_SECONDS).acquire());
                time.pass(Duration.ofMillis(1));
            }
            store.answers = answer -> {
                int size = answer.join() instanceof List<?> outcomes ? outcomes.size() : 1;
                long end = Math.max(busyUntil.get(), time.nanos()) + size * service;
                busyUntil.set(end);
                CompletableFuture<Object> late = new CompletableFuture<>();
                time.schedule(() -> late.complete(answer.join()), end - time.nanos());
                return late;
            };
            time.pass(Duration.ofSeconds(10));
            busyUntil.set(Math.max(busyUntil.get(), time.nanos()) + stall.toNanos());
            time.pass(Duration.ofSeconds(20));
            return leases.stream()
                    .filter(lease -> lease.state() == LeaseState.LOST)
                    .count();
        }
    }

    /** The store learns of a downgrade by a renewal, which the answer to an earlier one must not put off. */
    @Test
    @SuppressWarnings("LockNotBeforeTry") // a downgrade
    void answerToAnEarlierRenewalDoesNotDelayADowngrade() {
        try (TwoProcesses processes = new TwoProcesses()) {
            List<Runnable> withheld = new ArrayList<>();
            ReadWriteLock lock = processes.here.readWriteLock("a").asReadWriteLock();
            lock.writeLock().lock();
            processes.store.answers = answer -> {
                CompletableFuture<Object> late = new CompletableFuture<>();
                withheld.add(() -> late.complete(answer.join()));
                return late;
            };
            processes.time.pass(Duration.ofMillis(3_050));
            processes.store.answers = answer -> answer;
            lock.readLock().lock();
            lock.writeLock().unlock();
            assertThat(withheld).hasSize(1);
            withheld.get(0).run();

            CompletableFuture<Lease> reader =
                    processes.there.readWriteLock("a").readLock().acquireAsync(Duration.ofSeconds(9));
            processes.time.pass(Duration.ofMillis(500));

            assertThat(reader).isCompleted();
            lock.readLock().unlock();
        }
    }

    /** A retry time of a few milliseconds for each of them made the scheduler scan all leases without a pause. */
    @Test
    void unansweredRenewalsDoNotCauseExtraScans() {
        ManualTime time = new ManualTime();
        AtomicInteger scheduled = new AtomicInteger();
        Scheduler counting = (task, delay) -> {
            scheduled.incrementAndGet();
            return time.schedule(task, delay);
        };
        Environment environment =
                new Environment(time, counting, time.environment().executor(), () -> 0.5);
        FaultyStore store = new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), environment));
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(environment)
                .shutdownGrace(Duration.ZERO)
                .build()) {
            Lease lease = holdfast.lock("a", TWO_SECONDS).acquire();
            store.answers = answer -> new CompletableFuture<>();
            int before = scheduled.get();

            time.pass(Duration.ofMillis(1_900));

            int renewals = store.renewals.get();
            assertThat(scheduled.get() - before)
                    .as("timers for %s renewals", renewals)
                    .isLessThanOrEqualTo(renewals + 1);
            assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);
        }
    }

    @Test
    void scanThatFailsIsLoggedAndRepeated() {
        ManualTime time = new ManualTime();
        AtomicBoolean broken = new AtomicBoolean();
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
                if (broken.getAndSet(false)) {
                    throw new IllegalStateException("planted");
                }
                return new Moment(nanos(), wallMicros());
            }
        };
        Scheduler swallowing = (task, delay) -> time.schedule(
                () -> {
                    try {
                        task.run();
                    } catch (RuntimeException unread) {
                        // As a future does that no code reads.
                    }
                },
                delay);
        Environment environment =
                new Environment(ticker, swallowing, time.environment().executor(), () -> 0.5);
        FaultyStore store = new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), environment));
        try (LogCapture log = new LogCapture();
                Holdfast holdfast = Holdfast.builder(store)
                        .environment(environment)
                        .shutdownGrace(Duration.ZERO)
                        .build()) {
            Lease lease = holdfast.lock("a", TWO_SECONDS).acquire();
            broken.set(true);

            time.pass(Duration.ofSeconds(5));

            assertThat(broken).as("the scan has failed").isFalse();
            assertThat(lease.state()).isEqualTo(LeaseState.HELD);
            assertThat(log.messages()).anyMatch(message -> message.contains("a scheduled task failed"));
            lease.close();
        }
    }

    /** Answers move the deadlines of leases while the renewals of others are sorted by deadline. */
    @Test
    void answersThatComeDuringAScanDoNotBreakIt() throws Exception {
        int names = 10_000;
        ConcurrentLinkedQueue<Runnable> timers = new ConcurrentLinkedQueue<>();
        AtomicLong nanos = new AtomicLong(1);
        Ticker ticker = new Ticker() {
            @Override
            public long nanos() {
                return nanos.get();
            }

            @Override
            public long wallMicros() {
                return 0;
            }
        };
        Environment environment = new Environment(
                ticker,
                (task, delay) -> {
                    timers.add(task);
                    return () -> timers.remove(task);
                },
                Runnable::run,
                () -> ThreadLocalRandom.current().nextDouble());
        DeferringStore store = new DeferringStore(ticker);
        ExecutorService answering = Executors.newSingleThreadExecutor();
        try (LogCapture log = new LogCapture();
                Holdfast holdfast = Holdfast.builder(store)
                        .environment(environment)
                        .shutdownGrace(Duration.ZERO)
                        .build()) {
            LockOptions anHour =
                    LockOptions.builder().leaseTime(Duration.ofHours(1)).build();
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < names; i++) {
                leases.add(holdfast.lock("n" + i, anHour).acquire());
                nanos.addAndGet(1_000_000);
            }
            for (int round = 0; round < 100; round++) {
                nanos.addAndGet(Duration.ofMinutes(21).toNanos());
                List<Runnable> answers = store.take();
                Future<?> answered = answering.submit(() -> answers.forEach(answer -> {
                    // Some of them come during the scan, some while its result is sorted.
                    for (int i = ThreadLocalRandom.current().nextInt(20_000); i > 0; i--) {
                        Thread.onSpinWait();
                    }
                    answer.run();
                }));
                // The scan, and then a batch of 500 renewals each time.
                for (int batch = 0; batch <= names / 500; batch++) {
                    for (int waiting = timers.size(); waiting > 0; waiting--) {
                        timers.remove().run();
                    }
                }
                answered.get();
            }
            assertThat(leases).hasSize(names);
            assertThat(log.messages()).noneMatch(message -> message.contains("a scheduled task failed"));
        } finally {
            answering.shutdownNow();
        }
    }

    /** Grants at once, and answers renewals when the test wants it. */
    private static final class DeferringStore implements LockStore {

        private final Ticker ticker;
        private final AtomicLong tokens = new AtomicLong();
        private final ConcurrentLinkedQueue<Runnable> answers = new ConcurrentLinkedQueue<>();

        private DeferringStore(Ticker ticker) {
            this.ticker = ticker;
        }

        private List<Runnable> take() {
            List<Runnable> all = new ArrayList<>();
            for (Runnable answer = answers.poll(); answer != null; answer = answers.poll()) {
                all.add(answer);
            }
            return all;
        }

        @Override
        public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
            Grant grant = new Grant(claim, tokens.incrementAndGet(), 1, ticker.now(), claim.lease());
            return CompletableFuture.completedFuture(Optional.of(grant));
        }

        @Override
        public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
            CompletableFuture<List<RenewalRequest.Outcome>> answer = new CompletableFuture<>();
            answers.add(() -> answer.complete(
                    renewals.stream().map(each -> RenewalRequest.Outcome.KEPT).toList()));
            return answer;
        }

        @Override
        public CompletableFuture<Boolean> release(Claim claim) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
            return CompletableFuture.completedFuture(List.of());
        }

        @Override
        public CompletableFuture<Boolean> revoke(String name, long token) {
            return CompletableFuture.completedFuture(false);
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities("deferring", Capabilities.Queue.FIFO, Capabilities.Sharing.UNITS);
        }

        @Override
        public void close() {}
    }
}
