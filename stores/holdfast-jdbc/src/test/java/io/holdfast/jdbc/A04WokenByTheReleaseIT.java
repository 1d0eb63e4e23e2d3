package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Doubling back-off sleeps through the release. */
class A04WokenByTheReleaseIT {

    /** As in the article, where the lock is free at 3.16 s and the waiter asleep until 5 s. */
    private static final Duration FIRST_SLEEP = Duration.ofMillis(50);

    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    /** Asked at the start and after each of 50 + 100 + 200 + 400 + 800 + 1,600 ms; then it sleeps for the rest of its wait. */
    private static final int LAST_ASK = 7;

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

    @Test
    void naiveWaitersSleepOnWhileTheLockIsFreeAndOursAreWoken() {
        Map<StoreKind, Long> ours = new EnumMap<>(StoreKind.class);
        try (NaiveWaiter postgres = new NaiveWaiter(StoreKind.POSTGRES_TABLE);
                NaiveWaiter mariadb = new NaiveWaiter(StoreKind.MARIADB_TABLE)) {
            postgres.releaseWhenItSleepsForTheLastTime();
            mariadb.releaseWhenItSleepsForTheLastTime();
            for (StoreKind kind : StoreKind.values()) {
                ours.put(kind, releaseToGrant(kind));
            }
            long shortest = Math.min(postgres.asleepWhileFree(), mariadb.asleepWhileFree());
            System.out.println("figure: naive: asleep for " + shortest + " ms while it was free");
            assertThat(ours.values()).allSatisfy(woken -> assertThat(woken).isLessThan(shortest));
        }
    }

    private static long releaseToGrant(StoreKind kind) {
        try (Sql sql = servers.sql(kind);
                Holdfast holding = servers.connect(kind);
                Holdfast other = servers.connect(kind)) {
            Lease holder = holding.lock("apples").acquire();
            CompletableFuture<Lease> waiter = other.lock("apples").acquireAsync(Eventually.LIMIT);
            Eventually.holds("it waits", () -> kind.waiting(sql) > 0);
            long released = System.nanoTime();
            holder.close();
            Lease lease = Eventually.comes(waiter);
            long millis = Eventually.figure(kind + ": release to grant", released);
            assertThat(lease.release()).isTrue();
            return millis;
        }
    }

    /** One that waits for a naive lock, on a thread of its own, and the one who has it. */
    private static final class NaiveWaiter implements AutoCloseable {

        private final Sql holder;
        private final Sql waiter;
        private final NaiveTableLock holding;
        private final NaiveTableLock waiting;
        private final CompletableFuture<Long> got;
        private long released;

        NaiveWaiter(StoreKind kind) {
            holder = servers.sql(kind);
            waiter = servers.sql(kind);
            holding = new NaiveTableLock(holder);
            waiting = new NaiveTableLock(waiter);
            assertThat(holding.tryAcquire("naive", LEASE)).isTrue();
            got = CompletableFuture.supplyAsync(this::acquire);
        }

        private long acquire() {
            try {
                assertThat(waiting.acquire("naive", LEASE, MAX_WAIT, FIRST_SLEEP))
                        .isTrue();
                return System.nanoTime();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        void releaseWhenItSleepsForTheLastTime() {
            Eventually.holds("it sleeps for the last time", () -> waiting.asked() == LAST_ASK);
            released = System.nanoTime();
            holding.release("naive");
        }

        long asleepWhileFree() {
            return TimeUnit.NANOSECONDS.toMillis(Eventually.comes(got) - released);
        }

        @Override
        public void close() {
            holder.close();
            waiter.close();
        }
    }
}
