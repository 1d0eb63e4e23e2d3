package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisCluster;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A slot moves from server to server while clients contend for the names in it. */
class SlotMigrationIT {

    private static final int CLIENTS = 3;
    private static final int THREADS = 2;
    private static final int MOVES = 4;

    /** What the threads do under the lock; not safe without. */
    private static final class Ledger {
        private long updates;
        private final List<Long> tokens = new ArrayList<>();

        void update(long token) {
            long before = updates;
            tokens.add(token);
            Thread.onSpinWait();
            updates = before + 1;
        }
    }

    @Test
    void noUpdateIsLostAndEveryWaiterIsServed() throws Exception {
        try (RedisCluster cluster = RedisCluster.start()) {
            int slot = RedisCluster.slotOf("hotel");
            List<String> names = Stream.concat(
                            Stream.of("hotel"),
                            Stream.iterate(1, i -> i + 1)
                                    .map(i -> "hotel" + i)
                                    .filter(name -> RedisCluster.slotOf(name) == slot))
                    .limit(2)
                    .toList();
            Map<String, Ledger> ledgers = new ConcurrentHashMap<>();
            names.forEach(name -> ledgers.put(name, new Ledger()));
            List<Holdfast> clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> Holdfast.connect(cluster.url()))
                    .toList();
            AtomicLong finished = new AtomicLong();
            AtomicLong enough = new AtomicLong(Long.MAX_VALUE);
            ExecutorService threads = Executors.newCachedThreadPool();
            try {
                List<CompletableFuture<Void>> work = new ArrayList<>();
                for (Holdfast client : clients) {
                    for (int i = 0; i < names.size() * THREADS; i++) {
                        String name = names.get(i % names.size());
                        Ledger ledger = Objects.requireNonNull(ledgers.get(name));
                        work.add(CompletableFuture.runAsync(
                                () -> {
                                    while (finished.get() < enough.get()) {
                                        try (Lease lease = client.lock(name).acquire(Eventually.LIMIT)) {
                                            ledger.update(lease.token());
                                        }
                                        finished.incrementAndGet();
                                    }
                                },
                                threads));
                    }
                }
                for (int move = 0; move < MOVES; move++) {
                    long seen = finished.get();
                    Eventually.holds("they go on", () -> finished.get() > seen + 50 || anyFailed(work));
                    long begun = System.nanoTime();
                    move(cluster, slot);
                    Eventually.figure("slot moved in", begun);
                }
                long moved = System.nanoTime();
                long seen = finished.get();
                Eventually.holds("they go on", () -> finished.get() > seen + 50 || anyFailed(work));
                Eventually.figure("after the last move, 50 sections took", moved);
                enough.set(0);
                CompletableFuture.allOf(work.toArray(CompletableFuture[]::new))
                        .get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);

                assertThat(ledgers.values().stream()
                                .mapToLong(ledger -> ledger.updates)
                                .sum())
                        .isEqualTo(finished.get());
                ledgers.values()
                        .forEach(ledger -> assertThat(ledger.tokens).isSorted().doesNotHaveDuplicates());
                names.forEach(name ->
                        assertThat(clients.get(0).lock(name).inspect().isFree()).isTrue());
                handOver(clients, names.get(0), "subscription has followed the slot", () -> {});
                handOver(clients, names.get(0), "slot moves under the waiter", () -> move(cluster, slot));
                handOver(
                        clients,
                        names.get(0),
                        "subscriptions of all servers killed",
                        () -> cluster.nodes().forEach(SlotMigrationIT::killSubscriptions));
            } finally {
                enough.set(0);
                clients.forEach(Holdfast::close);
                threads.shutdownNow();
            }
        }
    }

    private static boolean anyFailed(List<CompletableFuture<Void>> work) {
        return work.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** A claim waits when the slot is moved; the name is released right after. */
    private static void handOver(List<Holdfast> clients, String name, String what, Runnable fault) throws Exception {
        Lease holder = clients.get(0).lock(name).acquire();
        CompletableFuture<Lease> waiter = Waiters.queue(clients.get(1).lock(name));
        fault.run();
        long released = System.nanoTime();
        holder.close();
        Lease lease = waiter.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
        Eventually.figure(what + ", release to grant", released);
        assertThat(lease.token()).isGreaterThan(holder.token());
        assertThat(lease.release()).isTrue();
    }

    private static void killSubscriptions(RedisServer node) {
        try (RespClient client = node.client()) {
            client.call("CLIENT", "KILL", "TYPE", "pubsub");
        }
    }

    /** To the next server in the ring. */
    private static void move(RedisCluster cluster, int slot) {
        int from = cluster.nodes().indexOf(cluster.nodeOf(slot));
        cluster.migrate(slot, cluster.nodes().get((from + 1) % cluster.nodes().size()));
    }
}
