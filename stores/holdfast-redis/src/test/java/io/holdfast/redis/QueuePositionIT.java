package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.redis.internal.script.Script;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Waiters poll the less often the further back they are; claims that were withdrawn do not count. */
class QueuePositionIT {

    private static final String KEY = "holdfast:{apples}";
    private static final String CHANNEL = "holdfast:wake:test";

    private RedisServer server;
    private RespClient client;
    private RespClient subscriber;

    @BeforeEach
    void holdTheName() {
        server = RedisServer.start();
        client = server.client();
        subscriber = server.client();
        subscriber.call("SUBSCRIBE", CHANNEL);
        assertThat(poll(0)).first().isEqualTo(1L);
    }

    @AfterEach
    void stop() {
        subscriber.close();
        client.close();
        server.close();
    }

    @Test
    void positionsWithoutGapsAreThoseOfTheArrival() {
        for (int i = 1; i <= 50; i++) {
            assertThat(position(i)).isEqualTo(i);
        }
        assertThat(position(50)).isEqualTo(50);
    }

    @Test
    void secondWaiterIsSecondAfterThoseBetweenWereCancelled() {
        queue(100);
        withdraw(2, 39);
        assertThat(position(40)).isEqualTo(2);
        assertThat(position(41)).isEqualTo(3);
        assertThat(position(1)).isEqualTo(1);
    }

    @Test
    void gapsBehindAWaiterDoNotBringItForward() {
        queue(100);
        withdraw(50, 99);
        assertThat(position(49)).isGreaterThanOrEqualTo(30);
        assertThat(position(20)).isEqualTo(20);
    }

    @Test
    void secondWaiterIsSecondBehindALongGap() {
        queue(3_000);
        withdraw(2, 2_499);
        assertThat(position(2_500)).isEqualTo(2);
    }

    private void queue(int count) {
        for (int i = 1; i <= count; i++) {
            poll(i);
        }
    }

    private void withdraw(int from, int to) {
        for (int i = from; i <= to; i++) {
            client.call("EVAL", Script.RELEASE.body(), "1", KEY, "aa-" + i, "0", "3600000000");
        }
    }

    private long position(int i) {
        List<?> answer = poll(i);
        assertThat(answer).first().isEqualTo(2L);
        return (Long) answer.get(2);
    }

    private List<?> poll(int i) {
        return client.list(
                "EVAL",
                Script.ACQUIRE.body(),
                "1",
                KEY,
                "aa-" + i,
                "W",
                "1",
                "1",
                "600000000",
                "1",
                "test 1 test -",
                "4200000",
                "p:" + CHANNEL,
                "");
    }
}
