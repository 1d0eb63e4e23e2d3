package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.redis.internal.script.Script;
import io.holdfast.servers.PlannedCut;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The connection is cut at a request, before or after the server has executed it; the caller does not know which. */
class LostRequestIT {

    private static final Duration LIMIT = Eventually.LIMIT;
    private static final String NAME = "apples";

    enum Cut {
        BEFORE_EXECUTION,
        AFTER_EXECUTION;

        PlannedCut plan(TcpProxy network) {
            return this == BEFORE_EXECUTION ? network.loseRequest("EVALSHA") : network.loseReplyTo("EVALSHA");
        }
    }

    private static RedisServer server;

    private TcpProxy network;
    private Holdfast cutOff;
    private Holdfast other;
    private DistributedLock lock;
    private DistributedLock othersLock;

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
        try (RespClient client = server.client()) {
            client.call("FLUSHALL");
        }
        network = TcpProxy.to(server.port());
        cutOff = Holdfast.connect("redis://127.0.0.1:" + network.port());
        other = Holdfast.connect(server.url());
        lock = cutOff.lock(NAME);
        othersLock = other.lock(NAME);
        // The server has the scripts now, so that a request is executed when it comes.
        lock.acquire().close();
    }

    @AfterEach
    void disconnect() {
        cutOff.close();
        other.close();
        network.close();
    }

    @ParameterizedTest
    @EnumSource
    void acquisitionIsMadeOnce(Cut when) {
        PlannedCut cut = when.plan(network);

        Lease lease = lock.acquire(LIMIT);

        cut.await(LIMIT);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(othersLock.inspect().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(lease.token()));
        assertThat(othersLock.tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
        assertFree(lease.token());
    }

    @ParameterizedTest
    @EnumSource
    void oneAttemptIsMadeOnce(Cut when) {
        PlannedCut cut = when.plan(network);

        Optional<Lease> lease = attempt();

        cut.await(LIMIT);
        lease.ifPresent(held -> {
            assertThat(othersLock.tryAcquire()).isEmpty();
            assertThat(held.release()).isTrue();
        });
        Eventually.holds("the name is free", () -> othersLock.inspect().isFree());
        assertFree(lease.map(Lease::token).orElse(0L));
    }

    @ParameterizedTest
    @EnumSource
    void waiterIsInTheQueueOnce(Cut when) throws Exception {
        Lease holder = othersLock.acquire();
        PlannedCut cut = when.plan(network);

        CompletableFuture<Lease> waiter = lock.acquireAsync(LIMIT);
        cut.await(LIMIT);
        Eventually.holds("it waits", () -> othersLock.inspect().waiters() == 1);
        holder.close();

        Lease lease = waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(lease.token()).isGreaterThan(holder.token());
        assertThat(othersLock.inspect().waiters()).isZero();
        assertThat(lease.release()).isTrue();
        assertFree(lease.token());
    }

    @ParameterizedTest
    @EnumSource
    void releaseLeavesNothingHeld(Cut when) {
        Lease lease = lock.acquire();
        PlannedCut cut = when.plan(network);

        boolean held = lease.release();

        cut.await(LIMIT);
        // A second attempt cannot distinguish its first one from an expiry; but it never reports a release that was
        // none.
        assertThat(held || when == Cut.AFTER_EXECUTION).isTrue();
        Eventually.holds("the name is free", () -> othersLock.inspect().isFree());
        assertFree(lease.token());
    }

    @ParameterizedTest
    @EnumSource
    void releaseHandsTheLockOverOnce(Cut when) throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(othersLock);
        PlannedCut cut = when.plan(network);

        lease.release();

        cut.await(LIMIT);
        Lease next = waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(next.release()).as("the repeated release has not touched it").isTrue();
        assertFree(next.token());
    }

    @ParameterizedTest
    @EnumSource
    void renewalIsRepeated(Cut when) {
        Duration length = Duration.ofSeconds(4);
        DistributedLock renewed =
                cutOff.lock(NAME, LockOptions.builder().leaseTime(length).build());
        Lease lease = renewed.acquire();
        PlannedCut cut = when.plan(network);

        cut.await(LIMIT);
        Duration cutAt = lease.remaining();
        Eventually.holds("it is renewed", () -> lease.remaining().compareTo(cutAt) > 0);

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(othersLock.tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
        assertFree(lease.token());
    }

    /** Redis executes what it has read of a closed connection, and that may be after the release. */
    @Test
    void staleDuplicateOfAnEndedClaimIsRefused() {
        try (StoreClient client = new StoreClient(RedisStore.at("redis://127.0.0.1:" + network.port()));
                RespClient late = server.client()) {
            Claim claim = client.claim(NAME, Claim.Mode.TRY);
            PlannedCut cut = Cut.BEFORE_EXECUTION.plan(network);
            assertThatThrownBy(() -> client.store().acquire(claim).get(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isNotNull();
            cut.await(LIMIT);
            Eventually.holds("it is ended", () -> ended(client, claim));

            List<?> answer = late.list(
                    "EVALSHA",
                    Script.ACQUIRE.digest(),
                    "1",
                    "holdfast:{" + NAME + "}",
                    claim.id().toString(),
                    "T",
                    "1",
                    "1",
                    "60000000",
                    "1",
                    "late 1 test ",
                    "3600000000",
                    "p:no-subscriber",
                    "");

            assertThat(answer).first().isEqualTo(5L);
            assertFree(0);
        }
    }

    private static boolean ended(StoreClient client, Claim claim) {
        try {
            client.store().release(claim).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            return true;
        } catch (Exception notYetConnectedAgain) {
            return false;
        }
    }

    /** One attempt may end in an outage, which is an answer too. */
    private Optional<Lease> attempt() {
        try {
            return lock.tryAcquire();
        } catch (RuntimeException unavailable) {
            return Optional.empty();
        }
    }

    private void assertFree(long lastToken) {
        Lease next = othersLock.tryAcquire().orElseThrow(() -> new AssertionError("no holder"));
        assertThat(next.token()).isGreaterThan(lastToken);
        assertThat(next.release()).isTrue();
    }
}
