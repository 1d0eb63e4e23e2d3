package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user that may do no more than it must, and one that may not even do that. */
class AccessIT {

    /** The line of the documentation: all that locks need on one server. */
    private static final String LEAST = "on >pass ~holdfast:* &holdfast:* -@all +eval +evalsha +subscribe +publish"
            + " +pubsub|numsub +ping +info +scan +time +exists +pttl +pexpire +hget +hmget +hset +hdel"
            + " +hexists";

    /** What a Cluster needs in addition. */
    private static final String LEAST_IN_CLUSTER =
            " +ssubscribe +sunsubscribe +spublish +pubsub|shardnumsub +cluster|nodes +cluster|myid +client|setname +asking";

    private static final LockOptions OPTIONS = LockOptions.builder()
            .leaseTime(Duration.ofSeconds(2))
            .maxWait(Eventually.LIMIT)
            .build();

    private static RedisServer server;

    private RespClient admin;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        KeyCheck.everyKeyExpires(server);
        server.close();
    }

    @BeforeEach
    void createUser() {
        admin = server.client();
        setUser(admin, LEAST);
        admin.call("ACL", "LOG", "RESET");
    }

    @AfterEach
    void removeUser() {
        admin.call("ACL", "DELUSER", "app");
        admin.close();
    }

    @Test
    void leastPrivilegesAreEnoughForEverything() {
        try (LogLines log = LogLines.ofHoldfast();
                Holdfast one = openAsUser();
                Holdfast other = openAsUser()) {
            useEverything(one, other);

            assertThat(log.warnings()).noneMatch(line -> line.contains("NOPERM"));
            assertThat(refused(admin)).isEmpty();
        }
    }

    @Test
    void leastPrivilegesAreEnoughInACluster() {
        try (RedisCluster servers = RedisCluster.start()) {
            for (RedisServer node : servers.nodes()) {
                try (RespClient client = node.client()) {
                    setUser(client, LEAST + LEAST_IN_CLUSTER);
                }
            }
            String url = servers.url().replace("://", "://app:pass@");
            try (LogLines log = LogLines.ofHoldfast();
                    Holdfast one = Holdfast.builder(url).defaults(OPTIONS).build();
                    Holdfast other = Holdfast.builder(url).defaults(OPTIONS).build()) {
                useEverything(one, other);

                assertThat(log.warnings()).noneMatch(line -> line.contains("NOPERM"));
            }
            for (RedisServer node : servers.nodes()) {
                try (RespClient client = node.client()) {
                    assertThat(refused(client)).isEmpty();
                    KeyCheck.everyKeyExpires(client);
                }
            }
        }
    }

    private static void useEverything(Holdfast one, Holdfast other) {
        Lease held = one.lock("all").acquire();
        CompletableFuture<Lease> waiter = other.lock("all").acquireAsync();
        Eventually.waiters(one.lock("all"), 1);
        Eventually.renewed(held);
        assertThat(one.inspect("", 10)).hasSize(1);
        assertThat(held.release()).isTrue();
        Lease next = Eventually.comes(waiter);
        Eventually.renewed(next);
        assertThat(one.lock("all").tryAcquire()).isEmpty();
        assertThat(one.lock("all").forceRelease(next.token())).isTrue();
        one.semaphore("permits", 3).run(permit -> one.semaphore("permits", 3).run(second -> {}));
        one.readWriteLock("both").readLock().run(reader -> {});
        one.lockSet("a", "b", "c").acquire().release();
    }

    @Test
    void missingChannelIsNamedWhenTheStoreIsOpened() {
        admin.call("ACL", "SETUSER", "app", "resetchannels");
        assertThatThrownBy(AccessIT::openAsUser)
                .hasMessageContaining("holdfast:wake:")
                .hasMessageContaining("NOPERM")
                .hasMessageContaining("ACL")
                .hasMessageContaining("&holdfast:*");
        Eventually.holds("no connection is left", () -> connections() == 0);
    }

    @Test
    void waitersWhoseChannelPermissionIsRemovedAreServedByPolling() {
        try (LogLines log = LogLines.ofHoldfast();
                Holdfast one = openAsUser();
                Holdfast other = openAsUser()) {
            Lease held = one.lock("not-permitted").acquire();
            CompletableFuture<Lease> waiter = other.lock("not-permitted").acquireAsync();
            Eventually.waiters(one.lock("not-permitted"), 1);

            admin.call("ACL", "SETUSER", "app", "resetchannels");
            Eventually.holds("a warning", () -> log.warnings().stream().anyMatch(line -> line.contains("channel")));
            assertThat(waiter).isNotDone();
            assertThat(held.release()).isTrue();

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();

            admin.call("ACL", "SETUSER", "app", "&holdfast:*");
            Lease again = one.lock("not-permitted").acquire();
            CompletableFuture<Lease> last = other.lock("not-permitted").acquireAsync();
            Eventually.waiters(one.lock("not-permitted"), 1);
            assertThat(again.release()).isTrue();
            assertThat(Eventually.comes(last).release()).isTrue();
        }
    }

    @Test
    void waitersAreServedIfTheReleasingClientMayNotPublish() {
        try (LogLines log = LogLines.ofHoldfast();
                Holdfast one = openAsUser();
                Holdfast other =
                        Holdfast.builder(server.url()).defaults(OPTIONS).build()) {
            Lease held = one.lock("mute").acquire();
            CompletableFuture<Lease> waiter = other.lock("mute").acquireAsync();
            Eventually.waiters(other.lock("mute"), 1);

            admin.call("ACL", "SETUSER", "app", "resetchannels");
            Eventually.holds(
                    "back again",
                    () -> held.release() || one.lock("mute").inspect().isFree());

            assertThat(Eventually.comes(waiter).release()).isTrue();
            Eventually.holds(
                    "a warning",
                    () -> log.warnings().stream().anyMatch(line -> line.contains("mute") && line.contains("channels")));
        }
    }

    private static Holdfast openAsUser() {
        return Holdfast.builder("redis://app:pass@127.0.0.1:" + server.port())
                .defaults(OPTIONS)
                .build();
    }

    private static void setUser(RespClient client, String rules) {
        client.call(Stream.concat(Stream.of("ACL", "SETUSER", "app", "reset"), Stream.of(rules.split(" ", -1)))
                .toArray(String[]::new));
    }

    private static List<?> refused(RespClient client) {
        return client.list("ACL", "LOG");
    }

    private long connections() {
        return admin.text("CLIENT", "LIST")
                .lines()
                .filter(line -> line.contains("user=app"))
                .count();
    }
}
