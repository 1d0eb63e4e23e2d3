package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Spinning every 100 ms: the commands grow with the time and with every waiter. */
class A05CommandsDoNotGrowIT {

    private static final int WAITERS = 5;
    private static final int THREADS_EACH = 10;
    private static final long NAIVE_COMMANDS = 100;

    @Test
    void naiveWaitersSendManyCommandsAndThoseOfHoldfastFew() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            long begun = System.nanoTime();
            long naive = naively(server);
            long held = System.nanoTime() - begun;
            List<Holdfast> clients = IntStream.range(0, WAITERS)
                    .mapToObj(i -> Holdfast.connect(server.url()))
                    .toList();
            try (Holdfast holding = Holdfast.connect(server.url())) {
                Lease holder = holding.lock("apples").acquire();
                long before = Commands.sent(server);
                long start = System.nanoTime();
                List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
                for (Holdfast client : clients) {
                    for (int i = 0; i < THREADS_EACH; i++) {
                        waiters.add(client.lock("apples")
                                .acquireAsync(Eventually.LIMIT)
                                .thenCompose(Lease::releaseAsync));
                    }
                }
                Eventually.holds("it was held as long as the naive one", () -> System.nanoTime() - start > held);
                holder.close();
                CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new))
                        .get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS);
                long holdfast = Commands.sent(server) - before;
                System.out.printf(
                        "figure: in %d ms, naive: %d commands of %d waiters; Holdfast: %d of %d waiters%n",
                        TimeUnit.NANOSECONDS.toMillis(held), naive, WAITERS, holdfast, waiters.size());
                assertThat(waiters)
                        .allSatisfy(waiter -> assertThat(waiter.join()).isTrue());
                assertThat(holdfast).as("though they are ten times as many").isLessThan(naive);
            } finally {
                clients.forEach(Holdfast::close);
            }
        }
    }

    /** How many commands they send while they wait. */
    private static long naively(RedisServer server) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WAITERS);
        try (NaiveClient client = new NaiveClient(server.url());
                RespClient stats = server.client()) {
            NaiveSpinLock lock = new NaiveSpinLock(client.redis());
            Duration lease = Duration.ofMinutes(1);
            assertThat(lock.tryAcquire("naive", "holder", lease)).isTrue();
            List<CompletableFuture<Void>> waiters = IntStream.range(0, WAITERS)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> {
                                try {
                                    lock.acquire("naive", "waiter-" + i, lease, Eventually.LIMIT);
                                } catch (InterruptedException stopped) {
                                    Thread.currentThread().interrupt();
                                }
                            },
                            threads))
                    .toList();
            Eventually.holds("they have polled often", () -> sets(stats) > NAIVE_COMMANDS);
            long sent = sets(stats);
            assertThat(waiters).noneMatch(CompletableFuture::isDone);
            return sent;
        } finally {
            threads.shutdownNow();
            assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static long sets(RespClient client) {
        String stats = client.field("cmdstat_set", "INFO", "commandstats");
        return Long.parseLong(stats.replaceAll("calls=(\\d+).*", "$1"));
    }
}
