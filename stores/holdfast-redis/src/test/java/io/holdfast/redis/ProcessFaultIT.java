package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.ChildProcess;
import io.holdfast.servers.RedisServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that holds or waits is killed, or paused. */
class ProcessFaultIT {

    private static final Duration LEASE = Duration.ofSeconds(5);

    /** Longer than a test waits: a waiter that dies must not keep a grant for as long as that. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    private static RedisServer server;

    private Holdfast holdfast;
    private Holdfast other;

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
        holdfast = Holdfast.connect(server.url());
        other = Holdfast.connect(server.url());
    }

    @AfterEach
    void disconnect() {
        holdfast.close();
        other.close();
    }

    @Test
    void lockOfAKilledHolderIsFreeWhenItsLeaseHasExpired() throws Exception {
        try (ChildProcess holder = LockingProcess.start(server.url(), "killed", LEASE, "held")) {
            long token = holdfast.lock("killed").inspect().holders().get(0).token();
            CompletableFuture<Lease> waiter = Waiters.queue(holdfast.lock("killed"));

            holder.kill();
            long killed = System.nanoTime();

            Lease lease = get(waiter);
            Eventually.figure("holder killed, lease of 5 s, kill to next grant", killed);
            assertThat(lease.token()).isGreaterThan(token);
            assertThat(lease.release()).isTrue();
        }
    }

    @Test
    void killedHeadOfTheQueueBlocksNoWaiter() throws Exception {
        Lease holder = holdfast.lock("head").acquire();
        try (ChildProcess head = LockingProcess.start(server.url(), "head", LONG_LEASE, "waiting")) {
            Eventually.holds(
                    "the other process waits",
                    () -> holdfast.lock("head").inspect().waiters() == 1);
            CompletableFuture<Lease> waiter = Waiters.queue(other.lock("head"));

            head.kill();
            long released = System.nanoTime();
            holder.close();

            Lease lease = get(waiter);
            Eventually.figure("head of the queue killed, release to next grant", released);
            assertThat(lease.release()).isTrue();
        }
    }

    /** Its connections are open, so it is notified, and has its time to confirm. */
    @Test
    void pausedHeadOfTheQueueBlocksOtherWaitersForAShortTimeOnly() throws Exception {
        Lease holder = holdfast.lock("paused-head").acquire();
        try (ChildProcess head = LockingProcess.start(server.url(), "paused-head", LONG_LEASE, "waiting")) {
            Eventually.holds(
                    "the other process waits",
                    () -> holdfast.lock("paused-head").inspect().waiters() == 1);
            CompletableFuture<Lease> waiter = Waiters.queue(other.lock("paused-head"));

            head.pause();
            long released = System.nanoTime();
            holder.close();

            Lease lease = get(waiter);
            Eventually.figure("head of the queue paused, release to next grant", released);
            head.resume();
            // It wakes up with a message in its hands that is worth nothing any more, and waits again.
            Eventually.holds(
                    "it waits again", () -> other.lock("paused-head").inspect().waiters() == 1);
            assertThat(head.log()).doesNotContain("held");
            assertThat(lease.release()).isTrue();
            Eventually.holds("it is served", () -> head.log().contains("held"));
        }
    }

    private static Lease get(CompletableFuture<Lease> waiter) throws Exception {
        return waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
