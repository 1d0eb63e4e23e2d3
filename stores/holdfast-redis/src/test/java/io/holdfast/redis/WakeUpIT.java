package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pub/sub connection is lost, or half-open: waiters are granted the name nevertheless. */
class WakeUpIT {

    private static final Duration LIMIT = Eventually.LIMIT;

    /** So many that the next waiter polls every 30 s, which is the longest interval there is. */
    private static final int IN_FRONT = 29;

    /** Generous, and less than that interval. */
    private static final Duration BEFORE_THE_NEXT_POLL = Duration.ofSeconds(20);

    private static final String NOT_REPLACED = "The pub/sub connection is unresponsive and cannot be replaced";

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
        waiting = Holdfast.connect("redis://127.0.0.1:" + network.port());
        holding = Holdfast.connect(server.url());
    }

    @AfterEach
    void disconnect() {
        waiting.close();
        holding.close();
        network.close();
    }

    @Test
    void waiterWhoseSubscriptionWasKilledIsServed() throws Exception {
        Lease holder = holding.lock("killed").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("killed"));
        try (RespClient client = server.client()) {
            assertThat(client.number("CLIENT", "KILL", "TYPE", "pubsub")).isPositive();
        }

        long released = System.nanoTime();
        holder.close();

        Lease lease = get(waiter);
        Eventually.figure("subscription killed, release to grant", released);
        assertThat(lease.token()).isGreaterThan(holder.token());
        assertThat(lease.release()).isTrue();
    }

    @Test
    void waiterWhoseSubscriptionIsHalfOpenIsServedAndTheSubscriptionIsReplaced() throws Exception {
        DistributedLock lock = waiting.lock("half-open");
        Lease holder = holding.lock("half-open").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(lock);
        ProxiedConnection halfOpen = network.carrying("SUBSCRIBE").get(0);
        halfOpen.stall(Direction.TO_CLIENT);

        long released = System.nanoTime();
        holder.close();

        Lease lease = get(waiter);
        Eventually.figure("subscription half open, message lost, release to grant", released);
        assertThat(lease.release()).isTrue();

        // While claims wait, the connection is checked.
        Lease second = holding.lock("half-open").acquire();
        CompletableFuture<Lease> patient = Waiters.queue(lock);
        long replaced = System.nanoTime();
        Eventually.holds(
                "the connection is replaced",
                () -> network.carrying("SUBSCRIBE").stream().anyMatch(connection -> !connection.equals(halfOpen)));
        Eventually.figure("half-open subscription replaced after", replaced);
        long again = System.nanoTime();
        second.close();
        Lease granted = get(patient);
        Eventually.figure("replaced subscription, release to grant", again);
        assertThat(granted.release()).isTrue();
    }

    @Test
    void halfOpenSubscriptionThatCannotBeReplacedIsLogged() throws Exception {
        Lease holder = holding.lock("secret").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("secret"));
        try (LogLines log = LogLines.ofHoldfast()) {
            network.refuse();
            network.carrying("SUBSCRIBE").get(0).stall(Direction.TO_CLIENT);
            Eventually.holds(
                    "it is logged", () -> log.warnings().stream().anyMatch(line -> line.contains(NOT_REPLACED)));
        }

        holder.close();

        assertThat(get(waiter).release()).isTrue();
    }

    /** The further back a waiter is in the queue, the more rarely it polls: the subscription has to be checked meanwhile. */
    @Test
    void waiterBehindOthersIsServedThoughItsMessageIsLost() throws Exception {
        Lease holder = holding.lock(
                        "behind",
                        LockOptions.builder().leaseTime(Duration.ofMinutes(2)).build())
                .acquire();
        try (StoreClient client = new StoreClient(RedisStore.at(server.url()));
                Holdfast other = Holdfast.connect(server.url())) {
            Map<Claim, CompletableFuture<Optional<Grant>>> before = new LinkedHashMap<>();
            for (int i = 0; i < IN_FRONT; i++) {
                Claim claim = client.claim("behind", Claim.Mode.WAIT);
                before.put(claim, client.store().acquire(claim));
                Eventually.waiters(holding.lock("behind"), before.size());
            }
            CompletableFuture<Lease> disconnected = Waiters.queue(waiting.lock("behind"));
            CompletableFuture<Lease> behind = Waiters.queue(other.lock("behind"));
            network.carrying("SUBSCRIBE").get(0).stall(Direction.TO_CLIENT);

            holder.close();
            before.forEach((claim, granted) -> {
                assertThat(Eventually.comes(granted)).isPresent();
                assertThat(Eventually.comes(client.store().release(claim))).isTrue();
            });
            long free = System.nanoTime();

            Lease lease = disconnected.get(BEFORE_THE_NEXT_POLL.toSeconds(), TimeUnit.SECONDS);
            Eventually.figure(IN_FRONT + " in front, message lost, release to grant", free);
            lease.close();
            get(behind).release();
        }
    }

    @Test
    void connectionIsKeptWhenTheServerIsUnresponsiveForAMoment() throws Exception {
        Lease holder = holding.lock("moment").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("moment"));
        List<ProxiedConnection> present = network.carrying("SUBSCRIBE");
        server.pause();
        isChecked(present.get(0));
        server.resume();

        holder.close();

        assertThat(get(waiter).release()).isTrue();
        assertThat(network.carrying("SUBSCRIBE")).isEqualTo(present);
    }

    /** A connection without answers is not half-open if the server answers nowhere else: no replacement is tried. */
    @Test
    void connectionIsNotReplacedWhileTheServerIsUnresponsive() throws Exception {
        Lease holder = holding.lock("still").acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(waiting.lock("still"));
        List<ProxiedConnection> present = network.carrying("SUBSCRIBE");
        try (LogLines log = LogLines.ofHoldfast()) {
            server.pause();
            // The next check is sent when the one before has ended.
            isChecked(present.get(0));
            isChecked(present.get(0));
            server.resume();
            assertThat(log.warnings()).noneMatch(line -> line.contains(NOT_REPLACED));
        }

        holder.close();

        // By then requests have timed out, too, so all connections are new.
        assertThat(get(waiter).release()).isTrue();
    }

    @Test
    void noUpdateIsLostWhileConnectionsAreKilled() throws Exception {
        int clients = 3;
        int rounds = 40;
        long[] counter = {0};
        List<Long> tokens = new ArrayList<>();
        List<Holdfast> all = IntStream.range(0, clients)
                .mapToObj(i -> Holdfast.connect(server.url()))
                .toList();
        try (RespClient killer = server.client()) {
            List<CompletableFuture<Void>> work = all.stream()
                    .map(holdfast -> CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < rounds; i++) {
                            try (Lease lease = holdfast.lock("killed-all").acquire(LIMIT)) {
                                long before = counter[0];
                                tokens.add(lease.token());
                                Thread.onSpinWait();
                                counter[0] = before + 1;
                            }
                        }
                    }))
                    .toList();
            CompletableFuture<Void> done = CompletableFuture.allOf(work.toArray(CompletableFuture[]::new));
            int kills = 0;
            while (!done.isDone() && kills < 30) {
                long seen = tokens.size();
                Eventually.holds("they go on", () -> tokens.size() > seen || done.isDone());
                killer.call("CLIENT", "KILL", "TYPE", kills % 2 == 0 ? "normal" : "pubsub", "SKIPME", "yes");
                kills++;
            }
            done.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            System.out.println("figure: rounds " + counter[0] + ", kills " + kills);
            assertThat(kills).isGreaterThan(3);
        } finally {
            all.forEach(Holdfast::close);
        }
        assertThat(counter[0]).isEqualTo((long) clients * rounds);
        assertThat(tokens).doesNotHaveDuplicates().isSorted();
    }

    /** Returns when something was sent by a connection that carries nothing but checks. */
    private static void isChecked(ProxiedConnection subscription) {
        long before = subscription.bytes(Direction.TO_SERVER);
        Eventually.holds("the subscription is checked", () -> subscription.bytes(Direction.TO_SERVER) > before);
    }

    private static Lease get(CompletableFuture<Lease> waiter) throws Exception {
        return waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
}
