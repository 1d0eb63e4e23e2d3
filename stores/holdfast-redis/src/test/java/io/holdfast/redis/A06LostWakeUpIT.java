package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.Direction;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The wake-up message is lost: the connection for messages is half open. */
class A06LostWakeUpIT {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration NAIVE_WAIT = Duration.ofMillis(2_500);

    @Test
    void naiveWaiterHangsUntilItsTimeoutAndThatOfHoldfastAcquiresTheLock() throws Exception {
        try (RedisServer server = RedisServer.start();
                TcpProxy network = TcpProxy.to(server.port());
                NaiveClient holding = new NaiveClient(server.url());
                NaiveClient waiting = new NaiveClient("redis://127.0.0.1:" + network.port());
                Holdfast first = Holdfast.connect(server.url());
                Holdfast second = Holdfast.connect("redis://127.0.0.1:" + network.port())) {
            NaivePubSubLock naive = new NaivePubSubLock(holding.connection(), holding.messages());
            NaivePubSubLock naiveWaiter = new NaivePubSubLock(waiting.connection(), waiting.messages());
            assertThat(naive.acquire("naive", "A", LEASE, Duration.ZERO)).isTrue();
            Lease holder = first.lock("apples").acquire();
            CompletableFuture<Boolean> naively = CompletableFuture.supplyAsync(() -> {
                try {
                    return naiveWaiter.acquire("naive", "B", LEASE, NAIVE_WAIT);
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            });
            CompletableFuture<Lease> waiter = Waiters.queue(second.lock("apples"));
            assertThat(network.carrying("SUBSCRIBE")).hasSize(2);
            network.carrying("SUBSCRIBE").forEach(connection -> connection.stall(Direction.TO_CLIENT));

            naive.release("naive");
            long released = System.nanoTime();
            holder.close();

            Lease lease = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
            Eventually.figure("wake-up lost, release to grant", released);
            assertThat(lease.release()).isTrue();
            assertThat(naively.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("naive: it was free, and the waiter was not notified")
                    .isFalse();
            assertThat(holding.redis().exists("naive")).isZero();
        }
    }
}
