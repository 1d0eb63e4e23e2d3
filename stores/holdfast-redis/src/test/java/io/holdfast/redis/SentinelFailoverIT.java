package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisSentinels;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The master dies, and the sentinels promote a replica that has seen the grant, or has not. */
class SentinelFailoverIT {

    private static final Duration LIMIT = Duration.ofSeconds(50);

    private RedisSentinels servers;
    private Holdfast first;
    private Holdfast second;

    @BeforeEach
    void start() {
        servers = RedisSentinels.start();
        first = Holdfast.connect(servers.url());
        second = Holdfast.connect(servers.url());
    }

    @AfterEach
    void stop() {
        first.close();
        second.close();
        servers.close();
    }

    @Test
    void holderKeepsItsLeaseOrIsNotifiedAndTheWaiterIsServedByTheNewMaster() throws Exception {
        LockOptions options =
                LockOptions.builder().leaseTime(Duration.ofSeconds(9)).build();
        Lease holder = first.lock("hotel", options).acquire();
        CompletableFuture<LeaseState> holderWhenServed = new CompletableFuture<>();
        CompletableFuture<Lease> waiter = second.lock("hotel", options).acquireAsync(LIMIT);
        var unused = waiter.thenAccept(lease -> holderWhenServed.complete(holder.state()));
        Eventually.holds("it waits", () -> first.lock("hotel").inspect().waiters() == 1);
        RedisServer old = servers.master();
        try (RespClient client = old.client()) {
            // WAIT covers what its own connection has written, and with it all that was written before.
            client.call("SET", "after-the-grant", "1", "PX", "60000");
            assertThat(client.number("WAIT", "2", "5000")).isEqualTo(2);
        }

        long killed = System.nanoTime();
        old.kill();
        servers.awaitMasterOtherThan(old);
        Eventually.figure("master killed, new master after", killed);
        Duration left = holder.remaining();
        Eventually.holds(
                "the holder was renewed there, or notified",
                () -> holder.state() == LeaseState.LOST
                        || (holder.state() == LeaseState.HELD
                                && holder.remaining().compareTo(left) > 0));
        Eventually.figure("master killed, holder sure again after", killed);
        LeaseState atTheEnd = holder.state();
        boolean held = holder.release();
        long released = System.nanoTime();

        assertThat(held).isEqualTo(atTheEnd == LeaseState.HELD);
        Lease lease = waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        Eventually.figure("after the failover, release to grant", released);
        assertThat(lease.token()).isGreaterThan(holder.token());
        assertThat(holderWhenServed.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isNotEqualTo(LeaseState.HELD);
        assertThat(lease.release()).isTrue();
    }

    /** As the documentation says: with asynchronous replication there can be two holders, and only the fence rejects the first. */
    @Test
    void promotedReplicaWithoutTheGrantMakesASecondHolderWithALargerToken() {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.ofMinutes(2))
                .renewal(LockOptions.Renewal.OFF)
                .build();
        RedisServer old = servers.master();
        servers.replicas().forEach(RedisServer::pause);
        try (RespClient client = old.client()) {
            // What is sent to a paused server waits in its socket; so the connection has to go as well.
            assertThat(client.number("CLIENT", "KILL", "TYPE", "replica")).isEqualTo(2);
        }
        Lease lost = first.lock("hotel", options).acquire();
        old.kill();
        resumeOthers(old);
        RedisServer master = servers.awaitMasterOtherThan(old);

        Lease successor = second.lock("hotel", options).acquire(LIMIT);

        assertThat(lost.state()).as("the first still believes").isEqualTo(LeaseState.HELD);
        assertThat(successor.token()).isGreaterThan(lost.token());
        RedisClient client = RedisClient.create(master.url());
        try (client;
                StatefulRedisConnection<String, String> connection = client.connect()) {
            RedisFence fence = RedisFence.on(connection);
            fence.of(successor).run(FencedWrites.set("room", "successor"));
            assertThatThrownBy(() -> fence.of(lost).run(FencedWrites.set("room", "first")))
                    .isInstanceOf(StaleTokenException.class);
            assertThat(connection.sync().get("room")).isEqualTo("successor");
        }
        Eventually.holds("the first finds the new master", () -> isHeld(first, successor.token()));
        assertThat(lost.release()).as("it was not there any more").isFalse();
        assertThat(successor.release()).isTrue();
    }

    private static boolean isHeld(Holdfast holdfast, long token) {
        try {
            return holdfast.lock("hotel").inspect().holders().get(0).token() == token;
        } catch (RuntimeException notConnectedYet) {
            return false;
        }
    }

    private void resumeOthers(RedisServer dead) {
        servers.replicas().stream().filter(server -> server != dead).forEach(RedisServer::resume);
    }
}
