package io.holdfast.redis;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;

/** Starts replicas of cluster nodes. */
final class ClusterReplica {

    private ClusterReplica() {}

    /** Starts a replica of the node, and returns when it is in step. */
    static RedisServer of(RedisServer master) {
        RedisServer replica = RedisServer.start(
                "cluster-enabled yes",
                "cluster-node-timeout 2000",
                "cluster-announce-ip 127.0.0.1",
                "repl-diskless-sync-delay 0");
        try (RespClient client = replica.client();
                RespClient admin = master.client()) {
            String id = admin.text("CLUSTER", "MYID");
            client.call("CLUSTER", "MEET", "127.0.0.1", Integer.toString(master.port()));
            Eventually.holds(
                    "the replica knows its master",
                    () -> client.text("CLUSTER", "NODES").contains(id));
            client.call("CLUSTER", "REPLICATE", id);
            Eventually.holds(
                    "in step",
                    () -> client.field("master_link_status", "INFO", "replication")
                            .equals("up"));
        }
        return replica;
    }
}
