package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A message arrives late, or twice, or after its grant has expired: the holder keeps the lock, and there is no other holder. */
class StaleMessageIT {

    private static final Duration LIMIT = Eventually.LIMIT;

    /** Long, so that no renewal is among the commands that are counted. */
    private static final LockOptions LONG =
            LockOptions.builder().leaseTime(Duration.ofMinutes(2)).build();

    private static RedisServer server;

    private TcpProxy network;
    private Holdfast waiting;
    private Holdfast holding;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        network = TcpProxy.to(server.port());
        waiting = Holdfast.builder("redis://127.0.0.1:" + network.port())
                .defaults(LONG)
                .build();
        holding = Holdfast.builder(server.url()).defaults(LONG).build();
    }

    @AfterEach
    void disconnect() {
        network.flow();
        waiting.close();
        holding.close();
        network.close();
    }

    @Test
    void grantThatWasFoundByPollingOutlivesItsMessage() throws Exception {
        DistributedLock lock = holding.lock("late");
        Lease holder = lock.acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("late"));
        ProxiedConnection slow = network.carrying("SUBSCRIBE").get(0);
        try (RespClient eavesdropper = eavesdropper()) {
            slow.stall(Direction.TO_CLIENT);
            holder.close();
            Lease lease = get(waiter);

            slow.flow(Direction.TO_CLIENT);

            // The connection may have been replaced as half-open meanwhile, and the message was lost with it.
            comesAgain(eavesdropper, "{late}");
            isStillHeld(lock, lease);
        }
    }

    @Test
    void messageThatArrivesTwiceReleasesNothing() throws Exception {
        DistributedLock lock = holding.lock("twice");
        Lease holder = lock.acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("twice"));
        try (RespClient eavesdropper = eavesdropper()) {
            holder.close();
            Lease lease = get(waiter);

            comesAgain(eavesdropper, "{twice}");
            isStillHeld(lock, lease);
        }
    }

    private static RespClient eavesdropper() {
        RespClient eavesdropper = server.client();
        eavesdropper.call("PSUBSCRIBE", "holdfast:wake:*");
        return eavesdropper;
    }

    /** Sends the message once more, to the eavesdropper and to the one who waited, and returns when it has arrived there. */
    private void comesAgain(RespClient eavesdropper, String about) throws Exception {
        List<?> message = (List<?>) Objects.requireNonNull(eavesdropper.receive());
        String channel = String.valueOf(message.get(2));
        String text = String.valueOf(message.get(3));
        assertThat(text).contains(about);
        try (RespClient client = server.client()) {
            Eventually.holds("both receive it", () -> client.number("PUBLISH", channel, text) >= 2);
        }
        // What comes after it on the same connection has arrived, so it has, too.
        Lease second = holding.lock("after").acquire();
        CompletableFuture<Lease> after = Waiters.queue(waiting.lock("after"));
        second.close();
        get(after).close();
    }

    private static void isStillHeld(DistributedLock lock, Lease lease) {
        assertThat(lock.inspect().holders())
                .singleElement()
                .satisfies(holds -> assertThat(holds.token()).isEqualTo(lease.token()));
        assertThat(lock.tryAcquire()).isEmpty();
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(lease.release()).isTrue();
    }

    /** The waiter is disconnected for longer than a grant by message lasts; meanwhile another client is granted the name. */
    @Test
    void messageOfAnExpiredGrantGrantsNothing() throws Exception {
        DistributedLock lock = holding.lock("over");
        Lease holder = lock.acquire();
        CompletableFuture<Lease> cutOff = Waiters.queue(waiting.lock("over"));
        try (Holdfast third = Holdfast.builder(server.url()).defaults(LONG).build()) {
            CompletableFuture<Lease> next = Waiters.queue(third.lock("over"));
            network.stall();
            holder.close();
            Lease lease = get(next);

            network.flow();

            Eventually.holds(
                    "the first has come back to wait", () -> lock.inspect().waiters() == 1 || cutOff.isDone());
            assertThat(cutOff).isNotDone();
            assertThat(lock.inspect().holders())
                    .singleElement()
                    .satisfies(holds -> assertThat(holds.token()).isEqualTo(lease.token()));
            assertThat(lease.release()).isTrue();
            Lease late = get(cutOff);
            assertThat(late.token()).isGreaterThan(lease.token());
            assertThat(late.release()).isTrue();
        }
    }

    private static Lease get(CompletableFuture<Lease> waiter) throws Exception {
        return waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
