package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Spinning every 100 ms: the statements grow with the time and with every waiter. */
class A05StatementsDoNotGrowIT {

    private static final int FEW = 2;
    private static final int MANY = 20;

    /** How often each waiter of the naive lock polls, in about half a second. */
    private static final int NAIVE_POLLS = 5;

    private static final Duration LEASE = Duration.ofMinutes(1);

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FILE")
    void naiveStatementsGrowWithTheWaitersAndOursDoNot(StoreKind kind) throws Exception {
        try (Sql sql = servers.sql(kind)) {
            NaiveSpinLock.create(sql, "naive-" + kind);
            assertThat(new NaiveSpinLock(sql).tryAcquire("naive-" + kind, LEASE))
                    .isTrue();
        }
        long begun = System.nanoTime();
        long naive = naively(kind);
        long held = System.nanoTime() - begun;
        long none = ours(kind, 0, 0);
        long few = ours(kind, FEW, held) - none;
        long many = ours(kind, MANY, held) - none;
        System.out.printf(
                "figure: %s: in %d ms, naive: %d statements of %d waiters; ours: %d of %d, %d of %d, and %d to begin with%n",
                kind, TimeUnit.NANOSECONDS.toMillis(held), naive, MANY, few, FEW, many, MANY, none);
        assertThat(naive).as("each of them polls").isGreaterThanOrEqualTo((long) MANY * NAIVE_POLLS);
        assertThat(many)
                .as("about as many as of few, and not one for each")
                .isLessThan(3 * few + MANY / 2)
                .isLessThan(naive);
    }

    /** The statements of many waiters that time out. */
    private static long naively(StoreKind kind) throws Exception {
        long before = StatementCount.of(servers, kind);
        ExecutorService threads = Executors.newFixedThreadPool(MANY);
        List<Sql> connections =
                IntStream.range(0, MANY).mapToObj(i -> servers.sql(kind)).toList();
        List<NaiveSpinLock> waiters =
                connections.stream().map(NaiveSpinLock::new).toList();
        try {
            for (NaiveSpinLock waiter : waiters) {
                threads.execute(() -> {
                    try {
                        waiter.acquire("naive-" + kind, LEASE, Eventually.LIMIT);
                    } catch (InterruptedException stopped) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            Eventually.holds(
                    "all have polled often", () -> waiters.stream().allMatch(waiter -> waiter.polls() > NAIVE_POLLS));
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
            connections.forEach(Sql::close);
        }
        return StatementCount.of(servers, kind) - before;
    }

    /** The statements of so many threads of a process which wait as long as the naive ones did, and are served then. */
    private static long ours(StoreKind kind, int count, long held) {
        long before = StatementCount.of(servers, kind);
        try (Holdfast holding = servers.connect(kind);
                Holdfast waiting = servers.connect(kind)) {
            Lease holder = holding.lock("apples").acquire();
            long start = System.nanoTime();
            List<CompletableFuture<Boolean>> waiters = IntStream.range(0, count)
                    .mapToObj(i -> waiting.lock("apples")
                            .acquireAsync(Eventually.LIMIT)
                            .thenCompose(Lease::releaseAsync))
                    .toList();
            Eventually.holds("it was held as long as the naive one", () -> System.nanoTime() - start > held);
            holder.close();
            assertThat(waiters)
                    .allSatisfy(waiter -> assertThat(Eventually.comes(waiter)).isTrue());
        }
        return StatementCount.of(servers, kind) - before;
    }
}
