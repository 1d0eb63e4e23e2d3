package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.Owner;
import io.holdfast.redis.internal.connection.ShardedSubscriptions;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RespClient;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In a cluster there is a subscription for each slot in which a claim waits, and none where no claim has waited for long. */
class IdleSubscriptionsIT {

    private static final int NAMES = 60;
    private static final int ROUNDS = 30;

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final ConcurrentLinkedQueue<Runnable> sweeps = new ConcurrentLinkedQueue<>();
    private final AtomicLong sequence = new AtomicLong();
    private RedisCluster cluster;
    private RespClient admin;
    private StoreClient holding;
    private LockStore waiting;

    @BeforeEach
    void open() {
        cluster = RedisCluster.start(1);
        admin = cluster.nodes().get(0).client();
        holding = new StoreClient(RedisStore.at(cluster.url()));
        waiting =
                RedisStore.at(cluster.url()).open(new Environment(Ticker.system(), this::schedule, threads, () -> 0.5));
    }

    @AfterEach
    void close() {
        waiting.close();
        holding.close();
        threads.shutdownNow();
        admin.close();
        cluster.close();
    }

    @Test
    void channelsOfSlotsWithoutWaitersAreUnsubscribedFrom() {
        List<Claim> held = IntStream.range(0, NAMES)
                .mapToObj(i -> holding.claim("name" + i, Claim.Mode.TRY))
                .toList();
        held.forEach(claim -> assertThat(holding.acquires(claim)).isTrue());
        List<Claim> claims = held.stream().map(claim -> claim(claim.name())).toList();
        List<CompletableFuture<Optional<Grant>>> answers = new ArrayList<>();
        claims.forEach(claim -> answers.add(waiting.acquire(claim)));
        claims.forEach(this::awaitQueued);
        assertThat(channels()).isEqualTo(NAMES);

        claims.subList(1, NAMES).forEach(claim -> Eventually.comes(waiting.release(claim)));
        sweep();
        assertThat(channels()).isEqualTo(NAMES);
        sweep();
        Eventually.holds("only the channel with a waiter is left", () -> channels() == 1);

        assertThat(Eventually.comes(holding.store().release(held.get(0)))).isTrue();
        assertThat(Eventually.comes(answers.get(0))).isPresent();
        assertThat(Eventually.comes(waiting.release(claims.get(0)))).isTrue();
        sweep();
        sweep();
        Eventually.holds("none is left", () -> channels() == 0);
        assertThat(sweeps).isEmpty();
    }

    /** A claim that begins to wait while its slot is unsubscribed from is notified when it is granted the name. */
    @Test
    void claimThatBeginsToWaitMeanwhileIsServed() {
        for (int round = 0; round < ROUNDS; round++) {
            Claim held = holding.claim("busy", Claim.Mode.TRY);
            assertThat(holding.acquires(held)).isTrue();
            Claim former = claim("busy");
            var unused = waiting.acquire(former);
            awaitQueued(former);
            Eventually.comes(waiting.release(former));
            sweep();
            Claim claim = claim("busy");
            CompletableFuture<Void> sweeping = CompletableFuture.runAsync(this::sweep, threads);

            CompletableFuture<Optional<Grant>> answer = waiting.acquire(claim);
            Eventually.comes(sweeping);
            awaitQueued(claim);
            assertThat(Eventually.comes(holding.store().release(held))).isTrue();

            assertThat(Eventually.comes(answer)).isPresent();
            assertThat(Eventually.comes(waiting.release(claim))).isTrue();
        }
    }

    /** As if the time until the next sweep had passed. */
    private void sweep() {
        sweeps.remove().run();
    }

    private Scheduler.Task schedule(Runnable task, long delay) {
        if (delay == ShardedSubscriptions.SWEEP_INTERVAL.toNanos()) {
            sweeps.add(task);
            return () -> sweeps.remove(task);
        }
        ScheduledFuture<?> future = threads.schedule(task, delay, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    private Claim claim(String name) {
        return new Claim(
                name,
                new ClaimId(4711, sequence.incrementAndGet()),
                Claim.Mode.WAIT,
                1,
                1,
                Duration.ofSeconds(60),
                1,
                new Owner("test", 1, "idle", ""));
    }

    private void awaitQueued(Claim claim) {
        Eventually.holds(
                "it waits", () -> admin.number("HEXISTS", "holdfast:{" + claim.name() + "}", "p:" + claim.id()) == 1);
    }

    private int channels() {
        return admin.list("PUBSUB", "SHARDCHANNELS", "holdfast:wake:*").size();
    }
}
