package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A name whose holders have died is used as something else, and then again as what it was. */
class ChangedKindIT {

    private static final Duration SHORT = Duration.ofMillis(200);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PERMITS = 5;

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        KeyCheck.everyKeyExpires(server);
        server.close();
    }

    @Test
    void semaphoreHasAllItsPermitsAfterItsHoldersDiedAndTheNameWasALock() {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            abandon(client, "permits", 1, PERMITS);
            abandon(client, "permits", 1, PERMITS);

            useOnce(client, "permits", 1, 1);

            assertThat(counts("permits")).isEmpty();
            List<Claim> all = new ArrayList<>();
            for (int i = 0; i < PERMITS; i++) {
                Claim claim = client.claim("permits", Claim.Mode.TRY, 1, PERMITS, LONG);
                assertThat(granted(client, claim)).as("permit %d", i).isTrue();
                all.add(claim);
            }
            assertThat(granted(client, client.claim("permits", Claim.Mode.TRY, 1, PERMITS, LONG)))
                    .isFalse();
            all.forEach(claim -> assertThat(released(client, claim)).isTrue());
            assertThat(counts("permits")).isEmpty();
        }
    }

    @Test
    void writerIsAdmittedAfterTheReadersDiedAndTheNameWasALock() {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            abandon(client, "pages", 1, Claim.READ_WRITE);
            abandon(client, "pages", 1, Claim.READ_WRITE);

            useOnce(client, "pages", 1, 1);

            assertThat(counts("pages")).isEmpty();
            useOnce(client, "pages", Claim.READ_WRITE, Claim.READ_WRITE);
            useOnce(client, "pages", 1, Claim.READ_WRITE);
            assertThat(counts("pages")).isEmpty();
        }
    }

    @Test
    void lockThatIsHeldHasNoCountsOfTheSemaphoreItWas() {
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()))) {
            abandon(client, "held", 2, PERMITS);

            Claim lock = takeWhenFree(client, "held", 1, 1);

            assertThat(counts("held")).isEmpty();
            assertThat(released(client, lock)).isTrue();
        }
    }

    /** Acquires it and dies. Others of its kind may hold it, too. */
    private static void abandon(StoreClient client, String name, int units, int capacity) {
        assertThat(granted(client, client.claim(name, Claim.Mode.TRY, units, capacity, SHORT)))
                .isTrue();
    }

    private static void useOnce(StoreClient client, String name, int units, int capacity) {
        assertThat(released(client, takeWhenFree(client, name, units, capacity)))
                .isTrue();
    }

    private static Claim takeWhenFree(StoreClient client, String name, int units, int capacity) {
        AtomicReference<Claim> last = new AtomicReference<>();
        Eventually.holds(name + " is granted with capacity " + capacity, () -> {
            Claim claim = client.claim(name, Claim.Mode.TRY, units, capacity, LONG);
            last.set(claim);
            return granted(client, claim);
        });
        return Objects.requireNonNull(last.get());
    }

    /** In use as something else is no too. */
    private static boolean granted(StoreClient client, Claim claim) {
        return Eventually.comes(client.store()
                .acquire(claim)
                .thenApply(grant -> grant.isPresent())
                .exceptionally(otherKind -> false));
    }

    private static boolean released(StoreClient client, Claim claim) {
        return Eventually.comes(client.store().release(claim));
    }

    private static List<String> counts(String name) {
        try (RespClient redis = server.client()) {
            return redis.list("HKEYS", "holdfast:{" + name + "}").stream()
                    .map(String::valueOf)
                    .filter(field -> field.matches("used|held|shift|at:.*|o:\\d{2,}"))
                    .toList();
        }
    }
}
