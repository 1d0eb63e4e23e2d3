package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** With exponential backoff, the waiter sleeps while the lock is released. */
class A04WokenByTheReleaseIT {

    /** As in the article, where the lock is free at 3.16 s and the waiter asleep until 5 s. */
    private static final Duration FIRST_SLEEP = Duration.ofMillis(50);

    private static final Duration MAX_WAIT = Duration.ofSeconds(5);

    /** Polled at the start and after each of 50 + 100 + 200 + 400 + 800 + 1,600 ms; then it sleeps for the rest of its wait. */
    private static final int LAST_POLL = 7;

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
        List<Contest> ours = new ArrayList<>();
        try {
            for (StoreKind kind : StoreKind.values()) {
                ours.add(new Contest(kind));
            }
            try (NaiveWaiter postgres = new NaiveWaiter(StoreKind.POSTGRES_TABLE);
                    NaiveWaiter mariadb = new NaiveWaiter(StoreKind.MARIADB_TABLE)) {
                postgres.releaseWhenItSleepsForTheLastTime();
                mariadb.releaseWhenItSleepsForTheLastTime();
                ours.forEach(Contest::releaseAndServe);

                assertThat(postgres.isAwake())
                        .as("when all of ours were served")
                        .isFalse();
                assertThat(mariadb.isAwake()).as("when all of ours were served").isFalse();
                postgres.wakesUp();
                mariadb.wakesUp();
            }
        } finally {
            ours.forEach(Contest::close);
        }
    }

    /** A holder of a lock and a waiter for it. */
    private static final class Contest implements AutoCloseable {

        private final StoreKind kind;
        private final Sql sql;
        private final Holdfast holding;
        private final Holdfast waiting;
        private final Lease holder;
        private final CompletableFuture<Lease> waiter;

        Contest(StoreKind kind) {
            this.kind = kind;
            sql = servers.sql(kind);
            holding = servers.connect(kind);
            waiting = servers.connect(kind);
            holder = holding.lock("apples").acquire();
            waiter = waiting.lock("apples").acquireAsync(Eventually.LIMIT);
            Eventually.holds("it waits", () -> kind.waiting(sql) > 0);
        }

        void releaseAndServe() {
            long released = System.nanoTime();
            holder.close();
            Lease lease = Eventually.comes(waiter);
            Eventually.figure(kind + ": release to grant", released);
            assertThat(lease.release()).isTrue();
        }

        @Override
        public void close() {
            waiting.close();
            holding.close();
            sql.close();
        }
    }

    /** A waiter for a naive lock, on a separate thread, and the holder. */
    private static final class NaiveWaiter implements AutoCloseable {

        private final Sql holder;
        private final Sql waiter;
        private final NaiveTableLock holding;
        private final NaiveTableLock waiting;
        private final CompletableFuture<Boolean> got;
        private long released;

        NaiveWaiter(StoreKind kind) {
            holder = servers.sql(kind);
            waiter = servers.sql(kind);
            holding = new NaiveTableLock(holder);
            waiting = new NaiveTableLock(waiter);
            assertThat(holding.tryAcquire("naive", LEASE)).isTrue();
            // Not in the common pool, which has one thread on two processors.
            got = CompletableFuture.supplyAsync(this::acquire, acquiring -> new Thread(acquiring).start());
        }

        private boolean acquire() {
            try {
                return waiting.acquire("naive", LEASE, MAX_WAIT, FIRST_SLEEP);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        void releaseWhenItSleepsForTheLastTime() {
            Eventually.holds("it sleeps for the last time", () -> waiting.polls() == LAST_POLL);
            released = System.nanoTime();
            holding.release("naive");
        }

        boolean isAwake() {
            return got.isDone();
        }

        void wakesUp() {
            assertThat(Eventually.comes(got)).isTrue();
            Eventually.figure("naive: asleep while the lock was free for", released);
        }

        @Override
        public void close() {
            holder.close();
            waiter.close();
        }
    }
}
