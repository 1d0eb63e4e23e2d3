package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.internal.script.Script;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many claims end while a request of theirs may be pending: each stale request is refused. */
class TombstoneIT {

    private static final int CLAIMS = 1_000;
    private static final String KEY = "holdfast:{apples}";
    private static final String RETENTION = "3600000000";

    private RedisServer server;
    private RespClient client;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        client = server.client();
    }

    @AfterEach
    void stop() {
        KeyCheck.everyKeyExpires(client);
        client.close();
        server.close();
    }

    @Test
    void noTombstoneIsEvictedByOthers() {
        for (int i = 0; i < CLAIMS; i++) {
            end(id(i));
        }
        for (int i = 0; i < CLAIMS; i++) {
            assertThat(acquire(id(i)))
                    .as("stale request of claim %d", i)
                    .first()
                    .isEqualTo(5L);
        }
        assertThat(acquire(id(CLAIMS))).first().isEqualTo(1L);
    }

    @Test
    void releaseCostsTheSameAmongManyTombstones() {
        end(id(0));
        long few = commandsOfEnding(id(1));
        for (int i = 2; i < CLAIMS; i++) {
            end(id(i));
        }
        assertThat(commandsOfEnding(id(CLAIMS))).isEqualTo(few);
    }

    @Test
    void tombstonesAreDeletedAfterTheirTime() {
        for (int i = 0; i < CLAIMS; i++) {
            end(id(i));
        }
        // As if they had been added long ago; all but the last.
        for (int i = 1; i < CLAIMS; i++) {
            client.call("HSET", KEY, "e:" + i, "1 " + id(i - 1));
        }
        for (int i = 0; i < CLAIMS / 16 + 2; i++) {
            acquire("new-" + i);
            release("new-" + i, "0");
        }
        assertThat(client.list("HKEYS", KEY).stream().map(String::valueOf))
                .containsExactlyInAnyOrder("layout", "last", "tombstones", "e:" + CLAIMS, "x:" + id(CLAIMS - 1));

        client.call("HSET", KEY, "e:" + CLAIMS, "1 " + id(CLAIMS - 1));
        acquire("last-1");
        release("last-1", "0");
        assertThat(client.list("HKEYS", KEY).stream().map(String::valueOf)).containsExactlyInAnyOrder("layout", "last");
    }

    private long commandsOfEnding(String id) {
        long before = Commands.inside(server);
        end(id);
        return Commands.inside(server) - before;
    }

    /** A release while a request of the claim may be pending. */
    private void end(String id) {
        release(id, "1");
    }

    private void release(String id, String mayCome) {
        client.call("EVAL", Script.RELEASE.body(), "1", KEY, id, mayCome, RETENTION);
    }

    private List<?> acquire(String id) {
        return client.list(
                "EVAL",
                Script.ACQUIRE.body(),
                "1",
                KEY,
                id,
                "T",
                "1",
                "1",
                "60000000",
                "1",
                "test 1 test -",
                "3660000",
                "p:no-subscriber",
                "");
    }

    private static String id(int i) {
        return "00000000000000aa-" + Integer.toHexString(i + 1);
    }
}
