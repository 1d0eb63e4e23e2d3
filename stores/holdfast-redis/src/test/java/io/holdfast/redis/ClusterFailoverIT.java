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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A master of a Cluster is paused, its connections stay open, and its replica is promoted. */
class ClusterFailoverIT {

    /** Less than the 30 s between two periodic refreshes of the topology, and more than a failover needs here. */
    private static final LockOptions OPTIONS =
            LockOptions.builder().leaseTime(Duration.ofSeconds(20)).build();

    @Test
    void leaseOutlivesItsMaster() {
        try (RedisCluster cluster = RedisCluster.start();
                RedisServer replica = ClusterReplica.of(cluster.nodes().get(0));
                RespClient copy = replica.client();
                Holdfast holdfast =
                        Holdfast.builder(cluster.url()).defaults(OPTIONS).build()) {
            RedisServer master = cluster.nodes().get(0);
            String name = Stream.iterate("apples", text -> text + "s")
                    .filter(text -> cluster.nodeOf(RedisCluster.slotOf(text)).equals(master))
                    .findFirst()
                    .orElseThrow();
            Lease lease = holdfast.lock(name).acquire();
            copy.call("READONLY");
            Eventually.holds("the replica has it", () -> copy.number("HEXISTS", "holdfast:{" + name + "}", "h:1") == 1);
            long begun = System.nanoTime();
            master.pause();
            try {
                Eventually.renewed(lease);

                Eventually.figure("cluster: master paused, lease renewed by its replica after", begun);
                assertThat(lease.state()).isEqualTo(LeaseState.HELD);
                assertThat(lease.release()).isTrue();
            } finally {
                master.resume();
            }
        }
    }
}
