package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A slot of a cluster is migrated while leases in it are renewed with confirmation by a replica. */
class ReplicaConfirmationDuringMigrationIT {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static RedisCluster cluster;
    private static final List<RedisServer> REPLICAS = new ArrayList<>();

    private Holdfast holdfast;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(2);
        for (RedisServer master : cluster.nodes()) {
            REPLICAS.add(ClusterReplica.of(master));
        }
    }

    @AfterAll
    static void stop() {
        REPLICAS.forEach(RedisServer::close);
        cluster.close();
    }

    @BeforeEach
    void open() {
        holdfast = Holdfast.builder(RedisStore.at(cluster.url()).replicas(1, Duration.ofSeconds(1)))
                .defaults(LockOptions.builder()
                        .leaseTime(LEASE)
                        .maxWait(Eventually.LIMIT)
                        .build())
                .build();
    }

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void leaseIsRenewedWhereTheKeyIsWhileTheSlotIsMigrating() {
        Lease lease = holdfast.lock("moving").acquire();
        RedisServer to = beginToMove("moving");

        staysHeld(lease);

        assertThat(lease.release()).isTrue();
        Lease next = holdfast.lock("moving").acquire();
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(next.release()).isTrue();
        endMove("moving", to);
    }

    /** Of two leases in one slot, which are renewed by one request, each is on another node. */
    @Test
    void leasesOfOneSlotOnTwoNodesAreBothRenewed() {
        List<String> names = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "pair" + i)
                .filter(name -> RedisCluster.slotOf(name) == RedisCluster.slotOf("pair0"))
                .limit(2)
                .toList();
        List<Lease> leases =
                names.stream().map(name -> holdfast.lock(name).acquire()).toList();
        RedisServer to = beginToMove(names.get(0));

        leases.forEach(ReplicaConfirmationDuringMigrationIT::staysHeld);

        leases.forEach(lease -> assertThat(lease.release()).isTrue());
        endMove(names.get(0), to);
    }

    @Test
    void scriptsThatTheNewNodeDoesNotKnowAreSentToItByTheirText() {
        Lease lease = holdfast.lock("unknown").acquire();
        RedisServer to = beginToMove("unknown");
        try (RespClient admin = to.client()) {
            admin.call("SCRIPT", "FLUSH");
        }

        staysHeld(lease);

        assertThat(lease.release()).isTrue();
        endMove("unknown", to);
    }

    @Test
    void leaseIsRenewedAfterTheSlotHasMoved() {
        Lease lease = holdfast.lock("moved").acquire();
        endMove("moved", beginToMove("moved"));

        staysHeld(lease);

        assertThat(lease.release()).isTrue();
    }

    /** Held for two leases, and renewed then. */
    private static void staysHeld(Lease lease) {
        long start = System.nanoTime();
        Eventually.holds("two leases later", () -> {
            assertThat(lease.state()).isNotEqualTo(LeaseState.LOST);
            return System.nanoTime() - start > LEASE.multipliedBy(2).toNanos();
        });
        Eventually.renewed(lease);
    }

    /** Moves the key of the name, and leaves the slot migrating. Returns where it moves to. */
    private static RedisServer beginToMove(String name) {
        RedisServer from = cluster.nodeOf(RedisCluster.slotOf(name));
        RedisServer to = cluster.nodes().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        String slot = Integer.toString(RedisCluster.slotOf(name));
        try (RespClient old = from.client();
                RespClient fresh = to.client()) {
            fresh.call("CLUSTER", "SETSLOT", slot, "IMPORTING", old.text("CLUSTER", "MYID"));
            old.call("CLUSTER", "SETSLOT", slot, "MIGRATING", fresh.text("CLUSTER", "MYID"));
            old.call("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "holdfast:{" + name + "}", "0", "5000");
            assertThat(fresh.number("CLUSTER", "COUNTKEYSINSLOT", slot)).isEqualTo(1);
        }
        return to;
    }

    private static void endMove(String name, RedisServer to) {
        cluster.migrate(RedisCluster.slotOf(name), to);
    }
}
