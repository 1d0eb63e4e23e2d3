package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What locks leave behind in the server: little, and not for ever. */
class KeyHygieneIT {

    private static final int NAMES = 1_000;
    private static final long MOST_BYTES_IDLE = 400;
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final Duration RETENTION = Duration.ofMinutes(10);

    private RedisServer server;
    private RespClient admin;
    private Holdfast one;
    private Holdfast other;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        admin = server.client();
        one = open();
        other = open();
    }

    @AfterEach
    void stop() {
        KeyCheck.everyKeyExpires(admin);
        other.close();
        one.close();
        admin.close();
        server.close();
    }

    @Test
    void keysOfIdleNamesExpireAfterTheRetention() {
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
            leases.add(one.lock("order:" + i).acquireAsync());
        }
        leases.forEach(Eventually::comes);
        assertThat(KeyCheck.keys(admin, "*"))
                .hasSize(NAMES)
                .allSatisfy(key -> assertThat(admin.number("PTTL", key))
                        .isBetween(RETENTION.toMillis(), RETENTION.plus(LEASE).toMillis()));
        leases.forEach(lease -> assertThat(lease.join().release()).isTrue());

        long bytes = 0;
        for (String key : KeyCheck.keys(admin, "*")) {
            assertThat(fields(key)).containsExactlyInAnyOrder("layout", "last");
            assertThat(admin.number("PTTL", key)).isPositive();
            bytes += admin.number("MEMORY", "USAGE", key);
        }
        System.out.println("An idle name needs " + bytes / NAMES + " bytes in Redis.");
        assertThat(bytes / NAMES).isLessThan(MOST_BYTES_IDLE);
    }

    @Test
    void keyOutlivesTheLease() {
        Lease lease = one.lock("fresh").acquire();
        assertThat(admin.number("PTTL", "holdfast:{fresh}")).isGreaterThanOrEqualTo(LEASE.toMillis());
        assertThat(lease.release()).isTrue();
    }

    @Test
    void queueLeavesNothingBehind() {
        Lease held = one.lock("queue").acquire();
        CompletableFuture<Lease> waiter = other.lock("queue").acquireAsync();
        Eventually.waiters(one.lock("queue"), 1);
        assertThat(held.release()).isTrue();
        assertThat(Eventually.comes(waiter).release()).isTrue();
        assertThat(fields("holdfast:{queue}")).containsExactlyInAnyOrder("layout", "last");
    }

    @Test
    void permitsAndReadersLeaveNothingBehind() {
        one.semaphore("permits", 3).run(first -> other.semaphore("permits", 3).run(second -> {}));
        one.readWriteLock("both")
                .readLock()
                .run(first -> other.readWriteLock("both").readLock().run(second -> {}));
        assertThat(fields("holdfast:{permits}")).containsExactlyInAnyOrder("layout", "last");
        assertThat(fields("holdfast:{both}")).containsExactlyInAnyOrder("layout", "last");
    }

    @Test
    void messageForAClaimOfADeletedKeyCreatesNoKey() {
        List<String> channels = admin.list("PUBSUB", "CHANNELS", "holdfast:wake:*").stream()
                .map(String::valueOf)
                .toList();
        assertThat(channels).hasSize(2);
        long before = Commands.sent(server);
        for (String channel : channels) {
            admin.call("PUBLISH", channel, "00000000000000aa-0000000000000001 1 1 1 1 run holdfast:{ghost}");
        }
        Eventually.holds("released", () -> Commands.sent(server) >= before + channels.size());
        assertThat(admin.number("EXISTS", "holdfast:{ghost}")).isZero();
    }

    @Test
    void releaseOfADeletedKeyLeavesNoKeyWithoutExpiry() {
        Lease held = one.lock("deleted").acquire();
        admin.call("DEL", "holdfast:{deleted}");
        held.release();
        assertThat(one.lock("deleted").inspect().isFree()).isTrue();
    }

    private List<String> fields(String key) {
        return admin.list("HKEYS", key).stream().map(String::valueOf).toList();
    }

    private Holdfast open() {
        return Holdfast.builder(RedisStore.at(server.url()).retention(RETENTION))
                .defaults(LockOptions.builder()
                        .leaseTime(LEASE)
                        .maxWait(Eventually.LIMIT)
                        .build())
                .build();
    }
}
