package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.PlannedCut;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code INSERT} the lock, then {@code UPDATE} its expiry: a crash between them leaves a lock that never expires. */
class A01EveryRowHasAnEndIT {

    private static Servers servers;

    @BeforeAll
    static void crash() {
        servers = Servers.start();
        CrashingProcess.crash(servers);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @ParameterizedTest
    @EnumSource
    void killedProcessLeavesTheNaiveRowForEverAndOursForALease(StoreKind kind) {
        try (Sql sql = servers.sql(kind);
                Holdfast next = servers.connect(kind)) {
            try (Lease lease = next.lock(CrashingProcess.OURS).acquire(Eventually.LIMIT)) {
                assertThat(lease.remaining()).isPositive();
                assertThat(endless(kind, sql, lease.remaining().plusSeconds(1))).isZero();
            }

            String naive = CrashingProcess.naive(kind);
            assertThat(sql.number("SELECT count(*) FROM locks WHERE name = ? AND expires_at IS NULL", naive))
                    .as("no end, and the lease that was wanted is over")
                    .isOne();
            assertThat(new NaiveTableLock(sql).tryAcquire(naive, CrashingProcess.LEASE))
                    .isFalse();
        }
    }

    /** The one statement by which Holdfast acquires was executed, and the client does not know. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FILE")
    void crashDuringTheAcquisitionBlocksTheLockForOneLease(StoreKind kind) throws Exception {
        LockOptions options =
                LockOptions.builder().leaseTime(CrashingProcess.LEASE).build();
        try (TcpProxy network = TcpProxy.to(servers.of(kind).port());
                Sql sql = servers.sql(kind);
                Holdfast next = servers.connect(kind)) {
            Holdfast crashed = Holdfast.builder(kind.store(servers.of(kind).url(network.port())))
                    .defaults(options)
                    .shutdownGrace(Duration.ZERO)
                    .build();
            PlannedCut cut = network.loseReplyTo(kind.acquireStatement());
            CompletableFuture<Lease> acquisition = crashed.lock("pears").acquireAsync();
            cut.await(Eventually.LIMIT);
            network.refuse();
            network.cut();

            assertThat(endless(kind, sql, CrashingProcess.LEASE)).isZero();
            assertThat(next.lock("pears").acquire(Eventually.LIMIT).release()).isTrue();
            acquisition.cancel(true);
            crashed.close();
        }
    }

    /** How many rows hold a name for longer than any lease; that of a session lock counts only while its session exists. */
    private static long endless(StoreKind kind, Sql sql, Duration longest) {
        if (!kind.isTable()) {
            return 0;
        }
        assertThat(sql.number("SELECT count(*) FROM holdfast_lease WHERE claim IS NOT NULL"))
                .isPositive();
        long latest = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + longest.toMillis());
        return sql.number(
                "SELECT count(*) FROM holdfast_lease WHERE claim IS NOT NULL AND ends_at NOT BETWEEN 1 AND ?", latest);
    }
}
