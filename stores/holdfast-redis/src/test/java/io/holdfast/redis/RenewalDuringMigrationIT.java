package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A slot is half moved, and stays so: of two names that are renewed together, each is on another server. */
class RenewalDuringMigrationIT {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final int SLOT = RedisCluster.slotOf("hotel");

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void bothLeasesStayHeld() {
        List<String> names = namesOfTheSlot("leases");
        try (Holdfast holdfast = Holdfast.builder(cluster.url())
                .defaults(LockOptions.builder().leaseTime(LEASE).build())
                .build()) {
            List<Lease> leases =
                    names.stream().map(name -> holdfast.lock(name).acquire()).toList();
            Runnable stable = moveOnly(names.get(0));

            long start = System.nanoTime();
            Eventually.holds("two leases later", () -> {
                assertThat(leases).allSatisfy(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
                return System.nanoTime() - start > LEASE.multipliedBy(2).toNanos();
            });
            leases.forEach(Eventually::renewed);
            leases.forEach(lease -> assertThat(lease.release()).isTrue());
            stable.run();
        }
    }

    @Test
    void bothAreKeptThoughTheyAreRenewedByOneRequest() {
        List<String> names = namesOfTheSlot("claims");
        try (StoreClient client = new StoreClient(RedisStore.at(cluster.url()))) {
            List<RenewalRequest> renewals = names.stream()
                    .map(name -> new RenewalRequest(client.claim(name, Claim.Mode.TRY), Duration.ofSeconds(60)))
                    .toList();
            renewals.forEach(
                    renewal -> assertThat(Eventually.comes(client.store().acquire(renewal.claim())))
                            .isPresent());
            Runnable stable = moveOnly(names.get(0));

            assertThat(Eventually.comes(client.store().renew(renewals)))
                    .containsExactly(RenewalRequest.Outcome.KEPT, RenewalRequest.Outcome.KEPT);

            renewals.forEach(
                    renewal -> assertThat(Eventually.comes(client.store().release(renewal.claim())))
                            .isTrue());
            stable.run();
        }
    }

    private static List<String> namesOfTheSlot(String prefix) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> prefix + i)
                .filter(name -> RedisCluster.slotOf("holdfast:{" + name + "}") == SLOT)
                .limit(2)
                .toList();
    }

    /** Begins to move the slot, with one key. Returns what ends that. */
    private static Runnable moveOnly(String name) {
        RedisServer from = cluster.nodeOf(SLOT);
        RedisServer to = cluster.nodes().stream()
                .filter(node -> node != from)
                .findFirst()
                .orElseThrow();
        try (RespClient old = from.client();
                RespClient fresh = to.client()) {
            String number = Integer.toString(SLOT);
            fresh.call("CLUSTER", "SETSLOT", number, "IMPORTING", old.text("CLUSTER", "MYID"));
            old.call("CLUSTER", "SETSLOT", number, "MIGRATING", fresh.text("CLUSTER", "MYID"));
            old.call("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "holdfast:{" + name + "}", "0", "5000");
            assertThat(fresh.number("CLUSTER", "COUNTKEYSINSLOT", number)).isEqualTo(1);
        }
        return () -> cluster.migrate(SLOT, to);
    }
}
