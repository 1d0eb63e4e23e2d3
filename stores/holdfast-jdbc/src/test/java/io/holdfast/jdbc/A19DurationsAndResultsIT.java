package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code GET_LOCK(key, 3000)}: seconds are mistaken for milliseconds, and the result is not checked. */
class A19DurationsAndResultsIT {

    /** What was meant by 3000. */
    private static final Duration MEANT = Duration.ofSeconds(3);

    private static final int WRITTEN = 3_000;

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
    void naiveWaiterStillWaitsWhenOursHasTimedOut() throws Exception {
        StoreKind kind = StoreKind.MARIADB_SESSIONS;
        try (Sql holder = servers.sql(kind);
                Sql waiter = servers.sql(kind);
                Holdfast holding = servers.connect(kind);
                Holdfast waiting = servers.connect(kind)) {
            NaiveNamedLock.lock(holder.connection(), "apples", WRITTEN);
            long session = waiter.number("SELECT CONNECTION_ID()");
            CompletableFuture<Void> naive =
                    CompletableFuture.runAsync(() -> NaiveNamedLock.lock(waiter.connection(), "apples", WRITTEN));
            Eventually.holds("the naive one waits", () -> kind.waiting(holder) == 1);

            Lease lease = holding.lock("apples").acquire();
            assertThatThrownBy(() -> waiting.lock("apples").acquire(MEANT)).isInstanceOf(LockTimeoutException.class);
            assertThat(lease.release()).isTrue();

            assertThat(naive).as("it began before, and waits for 50 minutes").isNotDone();
            holder.update("KILL QUERY " + session);
            Eventually.comes(naive.thenApply(entered -> true));
            assertThat(holder.number("SELECT IS_USED_LOCK('apples')"))
                    .as("interrupted, it got NULL, and went on")
                    .isNotEqualTo(session)
                    .isPositive();
        }
    }

    @Test
    void ourWaiterThatIsInterruptedByTheServerWaitsOn() {
        StoreKind kind = StoreKind.MARIADB_SESSIONS;
        try (Sql sql = servers.sql(kind);
                Holdfast holding = servers.connect(kind);
                Holdfast waiting = servers.connect(kind)) {
            Lease lease = holding.lock("plums").acquire();
            CompletableFuture<Lease> waiter = waiting.lock("plums").acquireAsync(Eventually.LIMIT);
            Eventually.holds("it waits", () -> kind.waiting(sql) == 1);
            long session = kind.waiter(sql);
            sql.update("KILL QUERY " + session);

            Eventually.holds("it waits on another session", () -> {
                long another = kind.waiter(sql);
                return another != 0 && another != session;
            });
            assertThat(waiter).isNotDone();
            assertThat(lease.release()).isTrue();
            assertThat(Eventually.comes(waiter).release()).isTrue();
        }
    }

    @Test
    void naiveCallerEntersWithoutTheLock() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        try (Sql a = servers.sql(StoreKind.MARIADB_SESSIONS);
                Sql b = servers.sql(StoreKind.MARIADB_SESSIONS)) {
            enter(a, inside);
            enter(b, inside);
            assertThat(inside).as("B got 0, and went on").hasValue(2);
            NaiveNamedLock.unlock(b.connection(), "ignored");
            NaiveNamedLock.unlock(a.connection(), "ignored");
        }
    }

    private static void enter(Sql sql, AtomicInteger inside) {
        NaiveNamedLock.lock(sql.connection(), "ignored", 0);
        inside.incrementAndGet();
    }

    @ParameterizedTest
    @EnumSource
    void ourCallerGetsAnEmptyOptional(StoreKind kind) {
        AtomicInteger inside = new AtomicInteger();
        try (Holdfast holding = servers.connect(kind);
                Holdfast other = servers.connect(kind)) {
            Lease lease = holding.lock("pears").acquire();
            Duration little = Duration.ofMillis(50);
            assertThatThrownBy(() -> other.lock("pears").acquire(little)).isInstanceOf(LockTimeoutException.class);
            assertThat(other.lock("pears").tryAcquire(little)).isEmpty();
            assertThat(other.lock("pears").tryRun(got -> inside.incrementAndGet()))
                    .isFalse();
            assertThat(inside).hasValue(0);
            assertThat(lease.release()).isTrue();
            assertThat(lease.release()).as("nor is a second release one").isFalse();
            // With a wait: a claim that timed out may still have to be cancelled in the database.
            other.lock("pears").run(got -> inside.incrementAndGet());
            assertThat(inside).hasValue(1);
        }
    }
}
