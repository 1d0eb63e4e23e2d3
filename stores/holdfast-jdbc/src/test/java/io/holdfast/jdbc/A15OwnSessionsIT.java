package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.testkit.Eventually;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A named lock outlives its transaction, or uses the connections that the work needs; and is lost with its session. */
class A15OwnSessionsIT {

    private static final int THREADS = 4;
    private static final Duration POOL_TIMEOUT = Duration.ofSeconds(1);

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
    @EnumSource(names = {"POSTGRES_SESSIONS", "MARIADB_SESSIONS"})
    void naiveLockStaysOnAPooledConnectionAndOursEndsWithItsCriticalSection(StoreKind kind) throws Exception {
        try (HikariDataSource pool = pool(kind, 1);
                Sql elsewhere = servers.sql(kind)) {
            assertThatThrownBy(() -> naiveBodyThatFails(pool)).isInstanceOf(IllegalArgumentException.class);
            assertThat(NaiveNamedLock.tryLock(elsewhere.connection(), "pooled"))
                    .as("the transaction has ended, the connection is closed, and the lock is still held")
                    .isFalse();
            try (Connection another = pool.getConnection()) {
                assertThat(NaiveNamedLock.tryLock(another, "pooled"))
                        .as("except for the next user of that connection")
                        .isTrue();
            }
        }
        try (Holdfast holdfast = servers.connect(kind);
                Holdfast other = servers.connect(kind)) {
            assertThatThrownBy(() -> holdfast.lock("apples").run(lease -> failingWork()))
                    .isInstanceOf(IllegalArgumentException.class);
            Lease lease = other.lock("apples").tryAcquire().orElseThrow();
            assertThat(lease.release()).isTrue();
        }
    }

    private static void naiveBodyThatFails(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(NaiveNamedLock.tryLock(connection, "pooled")).isTrue();
            failingWork();
            connection.commit();
            NaiveNamedLock.unlock(connection, "pooled");
        }
    }

    private static void failingWork() {
        throw new IllegalArgumentException("no apples left");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRES_SESSIONS", "MARIADB_SESSIONS"})
    void naiveLocksExhaustThePoolAndOursDoNot(StoreKind kind) throws Exception {
        CyclicBarrier allHold = new CyclicBarrier(THREADS);
        CyclicBarrier allHaveAsked = new CyclicBarrier(THREADS);
        try (HikariDataSource pool = pool(kind, THREADS)) {
            assertThat(together(thread -> naively(pool, "naive-" + thread, allHold, allHaveAsked)))
                    .as("all hold a lock, and none can work")
                    .containsOnly(false);
        }
        try (HikariDataSource pool = pool(kind, THREADS);
                Holdfast holdfast = servers.connect(kind)) {
            assertThat(together(thread -> holdfast.lock("apples-" + thread).call(lease -> {
                        meet(allHold);
                        boolean works = canWork(pool);
                        meet(allHaveAsked);
                        return works;
                    })))
                    .containsOnly(true);
        }
    }

    private static boolean naively(
            HikariDataSource pool, String name, CyclicBarrier allHold, CyclicBarrier allHaveAsked) throws Exception {
        try (Connection connection = pool.getConnection()) {
            assertThat(NaiveNamedLock.tryLock(connection, name)).isTrue();
            meet(allHold);
            boolean works = canWork(pool);
            meet(allHaveAsked);
            NaiveNamedLock.unlock(connection, name);
            return works;
        }
    }

    private static boolean canWork(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return new Sql(connection).number("SELECT 1") == 1;
        } catch (SQLTransientConnectionException exhausted) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRES_SESSIONS", "MARIADB_SESSIONS"})
    void naiveHolderOfAnEndedSessionContinuesAndOursIsNotified(StoreKind kind) throws Exception {
        try (Sql admin = servers.sql(kind);
                Sql a = servers.sql(kind);
                Sql b = servers.sql(kind)) {
            assertThat(NaiveNamedLock.tryLock(a.connection(), "ended")).isTrue();
            kill(kind, admin, a.number(kind.isPostgres() ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()"));
            Eventually.holds("B enters beside A", () -> tryLock(b, "ended"));
            assertThatThrownBy(() -> NaiveNamedLock.unlock(a.connection(), "ended"))
                    .as("which learns of it when its work is done")
                    .isInstanceOfAny(SQLException.class, IllegalStateException.class);
        }
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(1)).build();
        try (Sql admin = servers.sql(kind);
                Holdfast first = Holdfast.builder(kind.store(servers.url(kind)))
                        .defaults(options)
                        .build();
                Holdfast second = servers.connect(kind)) {
            Lease a = first.lock("apples").acquire();
            CompletableFuture<Boolean> notified = new CompletableFuture<>();
            a.onLost(() -> notified.complete(true));
            kill(kind, admin, admin.number("SELECT session FROM holdfast_session WHERE name = 'apples'"));

            assertThat(Eventually.comes(notified)).isTrue();
            assertThat(a.state()).isEqualTo(LeaseState.LOST);
            assertThatThrownBy(a::ensureHeld).isInstanceOf(LeaseLostException.class);
            assertThatThrownBy(a::close).isInstanceOf(LeaseLostException.class);
            Lease b = second.lock("apples").acquire(Eventually.LIMIT);
            assertThat(b.token()).isGreaterThan(a.token());
            assertThat(b.release()).isTrue();
        }
    }

    private static void kill(StoreKind kind, Sql admin, long session) {
        assertThat(session).isPositive();
        kind.kill(admin, session);
    }

    private static boolean tryLock(Sql sql, String name) {
        try {
            return NaiveNamedLock.tryLock(sql.connection(), name);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static HikariDataSource pool(StoreKind kind, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(servers.url(kind));
        config.setMaximumPoolSize(size);
        config.setConnectionTimeout(POOL_TIMEOUT.toMillis());
        HikariDataSource pool = new HikariDataSource(config);
        Eventually.holds("it is full", () -> pool.getHikariPoolMXBean().getIdleConnections() == size);
        return pool;
    }

    /** Work for the thread of that number. */
    @FunctionalInterface
    private interface Work {
        boolean of(int thread) throws Exception;
    }

    private static List<Boolean> together(Work work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<Boolean>> calls = IntStream.range(0, THREADS)
                    .<Callable<Boolean>>mapToObj(thread -> () -> work.of(thread))
                    .toList();
            List<Boolean> outcomes = new ArrayList<>();
            for (Future<Boolean> outcome : threads.invokeAll(calls, Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                outcomes.add(outcome.get());
            }
            return outcomes;
        } finally {
            threads.shutdownNow();
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}
