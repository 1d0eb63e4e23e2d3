package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A slot is half moved, and stays so: of two names that are renewed together, each is on a server of its own. */
class RenewalDuringMigrationIT {

    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void bothLeasesStayHeld() {
        try (RedisCluster cluster = RedisCluster.start();
                Holdfast holdfast = Holdfast.builder(cluster.url())
                        .defaults(LockOptions.defaults().withLeaseTime(LEASE))
                        .build()) {
            int slot = RedisCluster.slotOf("hotel");
            List<Lease> leases = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> i == 0 ? "hotel" : "hotel" + i)
                    .filter(name -> RedisCluster.slotOf("holdfast:{" + name + "}") == slot)
                    .limit(2)
                    .map(name -> holdfast.lock(name).acquire())
                    .toList();
            RedisServer from = cluster.nodeOf(slot);
            RedisServer to = cluster.nodes().stream()
                    .filter(node -> node != from)
                    .findFirst()
                    .orElseThrow();
            try (RespClient old = from.client();
                    RespClient fresh = to.client()) {
                String number = Integer.toString(slot);
                fresh.call("CLUSTER", "SETSLOT", number, "IMPORTING", old.text("CLUSTER", "MYID"));
                old.call("CLUSTER", "SETSLOT", number, "MIGRATING", fresh.text("CLUSTER", "MYID"));
                String moved = "holdfast:{" + leases.get(0).name() + "}";
                old.call("MIGRATE", "127.0.0.1", Integer.toString(to.port()), moved, "0", "5000");
                assertThat(old.number("CLUSTER", "COUNTKEYSINSLOT", number)).isEqualTo(1);
                assertThat(fresh.number("CLUSTER", "COUNTKEYSINSLOT", number)).isEqualTo(1);
            }

            long start = System.nanoTime();
            Eventually.holds("two leases later", () -> {
                assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
                return System.nanoTime() - start > LEASE.multipliedBy(2).toNanos();
            });
            leases.forEach(Eventually::renewed);
            leases.forEach(lease -> assertThat(lease.release()).isTrue());
        }
    }
}
