package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Grants that count only when a replica has them. */
class ReplicaConfirmationIT {

    private static final LockOptions OPTIONS = LockOptions.builder()
            .leaseTime(Duration.ofSeconds(6))
            .maxWait(Eventually.LIMIT)
            .build();

    private static RedisServer master;
    private static RedisServer replica;

    private Holdfast one;
    private Holdfast other;

    @BeforeAll
    static void start() {
        master = RedisServer.start("repl-diskless-sync-delay 0");
        replica = RedisServer.start("replicaof 127.0.0.1 " + master.port());
        try (RespClient client = replica.client()) {
            Eventually.holds(
                    "in step",
                    () -> client.field("master_link_status", "INFO", "replication")
                            .equals("up"));
        }
    }

    @AfterAll
    static void stop() {
        KeyCheck.everyKeyExpires(master);
        replica.close();
        master.close();
    }

    @BeforeEach
    void open() {
        one = open(Duration.ofMillis(300));
        other = open(Duration.ofMillis(300));
    }

    @AfterEach
    void close() {
        replica.resume();
        one.close();
        other.close();
    }

    @Test
    void grantIsOnTheReplicaWhenItIsReturned() {
        try (RespClient client = replica.client()) {
            for (int i = 0; i < 20; i++) {
                Lease lease = one.lock("copied:" + i).acquire();
                assertThat(client.number("HEXISTS", "holdfast:{copied:" + i + "}", "h:1"))
                        .isEqualTo(1);
                assertThat(lease.release()).isTrue();
            }
        }
    }

    @Test
    void withoutTheReplicaNothingIsGrantedAndNoHolderIsLeft() {
        one.lock("alone").run(lease -> {});
        replica.pause();
        assertThatThrownBy(() -> one.lock("alone").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("0 of 1 replicas");
        assertThatThrownBy(() -> one.lock("alone").acquire(Duration.ofSeconds(1)))
                .isInstanceOfAny(StoreUnavailableException.class, LockTimeoutException.class);
        Eventually.holds("free", () -> one.lock("alone").inspect().isFree());

        replica.resume();
        assertThat(other.lock("alone").acquire().release()).isTrue();
    }

    /** The script is sent once more then, by its text: the replica has to have what that one has written. */
    @Test
    void withoutTheReplicaNothingIsGrantedByAFlushedScript() {
        one.lock("forgotten").run(lease -> {});
        try (RespClient admin = master.client()) {
            // Else it would be what was written before that does not reach the replica.
            Eventually.holds(
                    "the replica has all so far",
                    () -> admin.field("slave0", "INFO", "replication")
                            .contains("offset=" + admin.field("master_repl_offset", "INFO", "replication") + ","));
            replica.pause();
            admin.call("SCRIPT", "FLUSH");
        }

        assertThatThrownBy(() -> one.lock("forgotten").tryAcquire())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("0 of 1 replicas");
        Eventually.holds("free", () -> one.lock("forgotten").inspect().isFree());

        replica.resume();
        assertThat(other.lock("forgotten").acquire().release()).isTrue();
    }

    @Test
    void leaseIsAtRiskWhileRenewalsDoNotReachTheReplica() {
        Lease held = one.lock("risky").acquire();
        replica.pause();
        Eventually.state(held, LeaseState.AT_RISK);
        replica.resume();
        Eventually.state(held, LeaseState.HELD);
        assertThat(held.release()).isTrue();
    }

    @Test
    void notifiedWaiterHoldsTheLockOnlyAfterTheReplicaHasConfirmed() {
        Lease held = one.lock("notified").acquire();
        CompletableFuture<Lease> waiter = other.lock("notified").acquireAsync();
        Eventually.waiters(one.lock("notified"), 1);

        replica.pause();
        assertThat(held.release()).isTrue();
        Eventually.holds(
                "granted by a message", () -> !one.lock("notified").inspect().isFree());
        assertThat(waiter).isNotDone();
        replica.resume();

        Lease next = Eventually.comes(waiter);
        assertThat(next.token()).isGreaterThan(held.token());
        try (RespClient client = replica.client()) {
            assertThat(client.text("HGET", "holdfast:{notified}", "h:1")).contains(String.valueOf(next.token()));
        }
        assertThat(next.release()).isTrue();
    }

    /** Longer than the timeout for answers, which must not cut it short. */
    @Test
    void replicaMayConfirmWithinItsTimeout() {
        try (Holdfast patient = open(Duration.ofSeconds(20))) {
            patient.lock("slow").run(lease -> {});
            replica.pause();
            CompletableFuture<Optional<Lease>> late = patient.lock("slow").tryAcquireAsync();
            try (RespClient admin = master.client()) {
                long since = seconds(admin);
                Eventually.holds("longer than a timeout", () -> seconds(admin) - since > 3);
            }
            replica.resume();
            assertThat(Eventually.comes(late))
                    .isPresent()
                    .get()
                    .satisfies(lease -> assertThat(lease.release()).isTrue());
        }
    }

    private static long seconds(RespClient client) {
        return Long.parseLong(String.valueOf(client.list("TIME").get(0)));
    }

    private static Holdfast open(Duration within) {
        return Holdfast.builder(RedisStore.at(master.url()).replicas(1, within))
                .defaults(OPTIONS)
                .build();
    }
}
