package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pause outlives the lease; the old holder writes over the new one. */
class A10RedisFenceIT {

    private static final LockOptions BRIEF =
            LockOptions.defaults().withLeaseTime(Duration.ofMillis(500)).withRenewal(LockOptions.Renewal.OFF);

    private final RedisServer server = RedisServer.start();
    private final RedisClient client = RedisClient.create(server.url());
    private final StatefulRedisConnection<String, String> connection = client.connect();

    @AfterEach
    void stop() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
        server.close();
    }

    @Test
    void naiveWriteOfThePausedHolderWins() {
        pausedHolderWritesAfterItsSuccessor((token, guest) -> connection.sync().set("room", guest));

        assertThat(connection.sync().get("room"))
                .as("the successor's booking is gone")
                .isEqualTo("paused");
    }

    @Test
    void fenceTurnsTheStaleTokenAway() {
        RedisFence fence = RedisFence.on(connection);

        assertThatThrownBy(() -> pausedHolderWritesAfterItsSuccessor((token, guest) -> fence.set("room", guest, token)))
                .isInstanceOf(StaleTokenException.class)
                .hasMessageContaining("room");

        assertThat(connection.sync().get("room")).isEqualTo("successor");
    }

    private interface Booking {
        void book(long token, String guest);
    }

    /** To the store a pause is nothing but a lease that is not renewed. */
    private static void pausedHolderWritesAfterItsSuccessor(Booking booking) {
        String url = "memory:a10-" + UUID.randomUUID();
        try (Holdfast paused = Holdfast.connect(url);
                Holdfast other = Holdfast.connect(url)) {
            Lease old = paused.lock("room", BRIEF).acquire();
            other.lock("room").run(lease -> booking.book(lease.token(), "successor"));
            booking.book(old.token(), "paused");
        }
    }
}
