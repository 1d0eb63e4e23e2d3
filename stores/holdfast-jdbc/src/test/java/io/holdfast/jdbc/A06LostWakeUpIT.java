package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.Direction;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The wake-up is lost: the connection for notifications does not listen any more. */
class A06LostWakeUpIT {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration NAIVE_WAIT = Duration.ofMillis(2_500);

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
    void notificationThatIsStuckInTheNetwork() {
        loseTheWakeUp((network, sql) -> {
            network.carrying("LISTEN").forEach(connection -> connection.stall(Direction.TO_CLIENT));
        });
    }

    @Test
    void notificationWithoutAListener() {
        loseTheWakeUp((network, sql) -> {
            network.refuse();
            assertThat(sql.number("SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity"
                            + " WHERE query LIKE 'LISTEN %' AND state = 'idle'"))
                    .as("two naive ones, and ours")
                    .isEqualTo(3);
        });
    }

    /** What loses the wake-up. */
    @FunctionalInterface
    private interface Fault {
        void on(TcpProxy network, Sql sql);
    }

    /** The naive waiter hangs until its timeout, and that of Holdfast acquires the lock. */
    private static void loseTheWakeUp(Fault fault) {
        StoreKind kind = StoreKind.POSTGRES_TABLE;
        try (TcpProxy network = TcpProxy.to(servers.of(kind).port());
                Sql sql = servers.sql(kind);
                NaiveListenLock naive = new NaiveListenLock(servers.url(kind));
                NaiveListenLock naiveWaiter =
                        new NaiveListenLock(servers.of(kind).url(network.port()));
                Holdfast first = servers.connect(kind);
                Holdfast second = kind.connect(servers.of(kind).url(network.port()))) {
            assertThat(acquire(naive, Duration.ZERO)).isTrue();
            Lease holder = first.lock("apples").acquire();
            CompletableFuture<Boolean> naively = CompletableFuture.supplyAsync(() -> acquire(naiveWaiter, NAIVE_WAIT));
            CompletableFuture<Lease> waiter = second.lock("apples").acquireAsync(Eventually.LIMIT);
            Eventually.holds("both wait", () -> naiveWaiter.polls() == 1 && kind.waiting(sql) == 1);
            Eventually.holds("both listen", () -> network.carrying("LISTEN").size() == 2);
            fault.on(network, sql);

            naive.release("naive");
            long released = System.nanoTime();
            holder.close();

            Lease lease = Eventually.comes(waiter);
            Eventually.figure("wake-up lost, release to grant", released);
            network.accept();
            assertThat(lease.release()).isTrue();
            assertThat(Eventually.comes(naively))
                    .as("naive: it was free, and the waiter was not notified")
                    .isFalse();
            assertThat(sql.number("SELECT count(*) FROM locks WHERE name = 'naive'"))
                    .isZero();
        }
    }

    private static boolean acquire(NaiveListenLock lock, Duration maxWait) {
        try {
            return lock.acquire("naive", LEASE, maxWait);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** There the wait itself is a statement, which ends with its session. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRES_SESSIONS", "MARIADB_SESSIONS"})
    void waiterWhoseSessionIsEndedIsServedAllTheSame(StoreKind kind) {
        try (Sql sql = servers.sql(kind);
                Holdfast first = servers.connect(kind);
                Holdfast second = servers.connect(kind)) {
            Lease holder = first.lock("apples").acquire();
            CompletableFuture<Lease> waiter = second.lock("apples").acquireAsync(Eventually.LIMIT);
            Eventually.holds("it waits", () -> kind.waiting(sql) == 1);
            kind.kill(sql, kind.waiter(sql));

            long released = System.nanoTime();
            holder.close();

            Lease lease = Eventually.comes(waiter);
            Eventually.figure(kind + ": waiting session ended, release to grant", released);
            assertThat(lease.release()).isTrue();
        }
    }
}
