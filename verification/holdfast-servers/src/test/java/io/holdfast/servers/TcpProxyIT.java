package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(200);

    private static RedisServer redis;

    private TcpProxy proxy;
    private RespClient direct;

    @BeforeAll
    static void startServer() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void closeServer() {
        redis.close();
    }

    @BeforeEach
    void connect() {
        proxy = TcpProxy.to(redis.port());
        direct = redis.client();
        direct.call("FLUSHALL");
    }

    @AfterEach
    void disconnect() {
        direct.close();
        proxy.close();
    }

    @Test
    void bytesAndConnectionsPassAndAreCounted() {
        try (RespClient one = client();
                RespClient two = client()) {
            String large = "x".repeat(1_000_000);
            one.call("SET", "large", large);

            assertThat(two.call("GET", "large")).isEqualTo(large);

            assertThat(proxy.connections()).isEqualTo(2);
        }
        Await.until(LIMIT, () -> proxy.connections() == 0, () -> "still open");
        assertThat(proxy.connectionsEver()).isEqualTo(2);
        assertThat(proxy.bytes(Direction.TO_SERVER)).isGreaterThan(1_000_000).isLessThan(1_001_000);
        assertThat(proxy.bytes(Direction.TO_CLIENT)).isGreaterThan(1_000_000).isLessThan(1_001_000);
    }

    @Test
    void oneConnectionCanBeHalfOpenBesideOthers() {
        try (RespClient listener = client();
                RespClient other = client()) {
            listener.call("SUBSCRIBE", "news");
            ProxiedConnection deaf = proxy.carrying("SUBSCRIBE").get(0);
            deaf.stall(Direction.TO_CLIENT);
            long before = deaf.bytes(Direction.TO_CLIENT);

            assertThat(other.number("PUBLISH", "news", "one")).isEqualTo(1);

            assertThat(other.text("PING")).isEqualTo("PONG");
            assertThat(deaf.bytes(Direction.TO_CLIENT)).isEqualTo(before);
            deaf.flow(Direction.TO_CLIENT);
            assertThat(String.valueOf(listener.receive())).contains("one");
            assertThat(proxy.carrying("SUBSCRIBE")).containsExactly(deaf);
            deaf.cut();
            assertThatThrownBy(listener::receive).isInstanceOf(UncheckedIOException.class);
            assertThat(other.text("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void endOfTheServersSideIsPassedOn() {
        try (RespClient client = client()) {
            long id = client.number("CLIENT", "ID");

            direct.call("CLIENT", "KILL", "ID", Long.toString(id));

            assertThatThrownBy(client::receive).isInstanceOf(UncheckedIOException.class);
        }
        Await.until(LIMIT, () -> proxy.connections() == 0, () -> "still open");
    }

    @Test
    void delayIsAddedInEachDirection() {
        try (RespClient client = client()) {
            proxy.delay(SHORT);
            assertThat(roundTrip(client)).isGreaterThanOrEqualTo(SHORT.multipliedBy(2));

            proxy.delay(Direction.TO_CLIENT, Duration.ZERO);
            assertThat(roundTrip(client)).isGreaterThanOrEqualTo(SHORT);

            proxy.delay(Duration.ofDays(1));
            client.send("PING");
            proxy.delay(Duration.ZERO);
            assertThat(client.receive()).isEqualTo("PONG");
        }
    }

    @Test
    void delayDoesNotAddUpAlongAPipeline() throws Exception {
        try (RespClient client = client()) {
            proxy.delay(Direction.TO_CLIENT, Duration.ofSeconds(1));
            // So many that their delays, added up, are far beyond the limit.
            int requests = 100;
            // Each answer is sent on its own, for each request waits until the server has the one before.
            IntStream.rangeClosed(1, requests).forEach(i -> {
                client.send("INCR", "count");
                Await.until(
                        LIMIT,
                        () -> Integer.toString(i).equals(direct.call("GET", "count")),
                        () -> "request not executed");
            });
            CompletableFuture<Void> received = CompletableFuture.runAsync(() -> {
                for (long i = 1; i <= requests; i++) {
                    assertThat(client.receive()).isEqualTo(i);
                }
            });

            received.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    void stalledRequestsAreExecutedWhenTheyFlowAgain() {
        try (RespClient client = client()) {
            client.call("PING");
            proxy.stall(Direction.TO_SERVER);
            client.send("SET", "a", "1");
            assertNothingComes();
            assertThat(direct.call("GET", "a")).isNull();
            assertThat(proxy.connections()).isPositive();

            proxy.flow(Direction.TO_SERVER);

            assertThat(client.receive()).isEqualTo("OK");
            assertThat(direct.call("GET", "a")).isEqualTo("1");
        }
    }

    @Test
    void stalledAnswersAreOfExecutedRequests() {
        try (RespClient client = client()) {
            proxy.stall(Direction.TO_CLIENT);
            client.send("SET", "a", "1");
            Await.until(LIMIT, () -> "1".equals(direct.call("GET", "a")), () -> "not executed");
            assertNothingComes();

            proxy.flow(Direction.TO_CLIENT);

            assertThat(client.receive()).isEqualTo("OK");
        }
    }

    @Test
    void serverIsNotToldOfAClientThatEndsDuringAStall() {
        try (RespClient client = client()) {
            client.call("CLIENT", "SETNAME", "halfopen");
            proxy.stall();
        }
        assertNothingComes();
        assertThat(direct.text("CLIENT", "LIST")).contains("name=halfopen");

        proxy.flow();

        Await.until(
                LIMIT, () -> !direct.text("CLIENT", "LIST").contains("name=halfopen"), () -> "the server was not told");
    }

    @Test
    void cutResetsPresentConnectionsAndNewOnesWork() {
        try (RespClient client = client();
                RespClient stalled = client()) {
            client.call("PING");
            stalled.call("PING");
            proxy.stall();
            stalled.send("SET", "a", "1");

            proxy.cut();

            assertThat(proxy.connections()).isZero();
            assertReset(client);
            assertReset(stalled);
            proxy.flow();
            assertThat(direct.call("GET", "a")).isNull();
        }
        try (RespClient client = client()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
    }

    @Test
    void refusedUntilAcceptedWhilePresentConnectionsGoOn() {
        try (RespClient present = client()) {
            present.call("PING");
            proxy.refuse();
            proxy.refuse();
            assertThatThrownBy(this::client).hasCauseInstanceOf(ConnectException.class);
            assertThat(present.call("PING")).isEqualTo("PONG");

            proxy.accept();
            proxy.accept();

            try (RespClient client = client()) {
                assertThat(client.call("PING")).isEqualTo("PONG");
            }
        }
    }

    @Test
    void lostReplyIsOfAnExecutedRequest() {
        try (RespClient client = client();
                RespClient other = client()) {
            PlannedCut cut = proxy.loseReplyTo("INCR");
            assertThat(client.call("PING")).isEqualTo("PONG");
            assertThat(cut.happened()).isFalse();

            client.send("INCR", "count");

            assertReset(client);
            cut.await(LIMIT);
            assertThat(direct.call("GET", "count")).isEqualTo("1");
            assertThat(other.call("INCR", "count")).isEqualTo(2L);
        }
    }

    @Test
    void lostReplyIsOfAnExecutedRequestEvenIfEarlierAnswersAreUnderWay() {
        for (int round = 1; round <= 100; round++) {
            try (RespClient client = client()) {
                PlannedCut cut = proxy.loseReplyTo("INCR");
                for (int i = 0; i < 20; i++) {
                    client.send("ECHO", "before");
                }
                client.send("INCR", "count");

                cut.await(LIMIT);

                assertThat(direct.call("GET", "count")).isEqualTo(Integer.toString(round));
            }
        }
    }

    @Test
    void lostRequestIsNotExecuted() {
        try (RespClient client = client();
                RespClient other = client()) {
            PlannedCut cut = proxy.loseRequest("INCR");
            assertThat(client.call("PING")).isEqualTo("PONG");

            client.send("INCR", "count");

            assertReset(client);
            cut.await(LIMIT);
            assertThat(direct.call("GET", "count")).isNull();
            assertThat(other.call("INCR", "count")).isEqualTo(1L);
        }
    }

    @Test
    void emptyPatternMeansAnyRequestAndACutCanBeCalledOff() {
        try (RespClient client = client()) {
            proxy.loseRequest("").cancel();
            assertThat(client.call("PING")).isEqualTo("PONG");

            PlannedCut cut = proxy.loseRequest("");
            client.send("PING");

            assertReset(client);
            cut.await(LIMIT);
        }
    }

    @Test
    void serverThatIsNotThereResetsTheClient() {
        try (RedisServer gone = RedisServer.start();
                TcpProxy network = TcpProxy.to(gone.port())) {
            gone.kill();
            assertThatThrownBy(() -> {
                        try (RespClient client = RespClient.connect(network.port())) {
                            client.call("PING");
                        }
                    })
                    .hasCauseInstanceOf(SocketException.class);

            gone.restart();

            try (RespClient client = RespClient.connect(network.port())) {
                assertThat(client.call("PING")).isEqualTo("PONG");
            }
        }
    }

    private RespClient client() {
        return RespClient.connect(proxy.port());
    }

    private static Duration roundTrip(RespClient client) {
        long start = System.nanoTime();
        client.call("PING");
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** A stalled proxy stays silent on a connection of its own for as long as it takes to be sure that bytes would have come. */
    private void assertNothingComes() {
        try (RespClient hasty = RespClient.connect(proxy.port(), SHORT)) {
            assertThatThrownBy(() -> hasty.call("PING")).hasCauseInstanceOf(SocketTimeoutException.class);
        }
    }

    private static void assertReset(RespClient client) {
        assertThatThrownBy(client::receive).hasCauseInstanceOf(SocketException.class);
    }
}
