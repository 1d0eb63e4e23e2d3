package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The application's executor rejects all tasks, or runs them on Lettuce's thread: the locks still work. */
class HostileExecutorIT {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    static Stream<Arguments> executors() {
        return Stream.<Executor>of(HostileExecutorIT::reject, Runnable::run)
                .flatMap(executor -> Stream.of("pubsub", "normal").map(kind -> Arguments.of(executor, kind)));
    }

    @ParameterizedTest
    @MethodSource("executors")
    void waiterIsServedAndTimeoutsWorkAfterConnectionsWereKilled(Executor executor, String killed) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (Holdfast waiting =
                        Holdfast.builder(server.url()).executor(executor).build();
                Holdfast holding = Holdfast.connect(server.url())) {
            // Once more, for what was mended by the first time has to last.
            for (int round = 0; round < 2; round++) {
                Lease holder = holding.lock("apples").acquire(Eventually.LIMIT);
                Future<Lease> waiter =
                        threads.submit(() -> waiting.lock("apples").acquire(Eventually.LIMIT));
                Eventually.waiters(holding.lock("apples"), 1);

                kill(killed);

                assertThatThrownBy(() -> waiting.lock("apples").acquire(Duration.ofMillis(300)))
                        .isInstanceOf(LockTimeoutException.class);
                long released = System.nanoTime();
                assertThat(holder.release()).isTrue();
                Lease lease = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
                Eventually.figure(killed + " connections killed, release to grant", released);
                assertThat(lease.token()).isGreaterThan(holder.token());
                assertThat(lease.release()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SUBSCRIBE", "EVALSHA"})
    void halfOpenConnectionIsReplacedThoughTheExecutorRunsNothing(String carrying) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast waiting = Holdfast.builder("redis://127.0.0.1:" + network.port())
                        .executor(HostileExecutorIT::reject)
                        .build();
                Holdfast holding = Holdfast.connect(server.url())) {
            Lease holder = holding.lock("pears").acquire();
            Future<Lease> waiter = threads.submit(() -> waiting.lock("pears").acquire(Eventually.LIMIT));
            Eventually.waiters(holding.lock("pears"), 1);
            ProxiedConnection halfOpen = network.carrying(carrying).get(0);
            halfOpen.stall(Direction.TO_CLIENT);

            Eventually.holds(
                    "it is replaced",
                    () -> network.carrying(carrying).stream().anyMatch(connection -> !connection.equals(halfOpen)));

            assertThat(holder.release()).isTrue();
            Lease lease = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(lease.token()).isGreaterThan(holder.token());
            assertThat(lease.release()).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    private static void reject(Runnable task) {
        throw new RejectedExecutionException("full");
    }

    /** Not this client itself. */
    private static void kill(String kind) {
        try (RespClient client = server.client()) {
            assertThat(client.number("CLIENT", "KILL", "TYPE", kind, "SKIPME", "yes"))
                    .isPositive();
        }
    }
}
