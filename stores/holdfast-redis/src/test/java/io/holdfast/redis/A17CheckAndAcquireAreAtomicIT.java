package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.servers.RedisServer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code GET} then {@code SET}: both find it free, and both take it. */
class A17CheckAndAcquireAreAtomicIT {

    private static final int CLIENTS = 3;
    private static final int ROUNDS = 100;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @Test
    void bothNaiveClientsAcquireAndOneOfHoldfast() throws Exception {
        CyclicBarrier bothHaveLooked = new CyclicBarrier(2);
        try (RedisServer server = RedisServer.start();
                NaiveClient one = new NaiveClient(server.url());
                NaiveClient two = new NaiveClient(server.url())) {
            List<Boolean> naive = together(Stream.of(one, two)
                    .<Supplier<Boolean>>map(client -> () ->
                            new NaiveGetSetLock(client.redis(), () -> meet(bothHaveLooked)).tryAcquire("naive", "me"))
                    .toList());
            assertThat(naive).as("both have it").containsExactly(true, true);

            raceForOneWinner(server);
        } finally {
            threads.shutdownNow();
        }
    }

    private void raceForOneWinner(RedisServer server) throws Exception {
        List<Holdfast> clients = IntStream.range(0, CLIENTS)
                .mapToObj(i -> Holdfast.connect(server.url()))
                .toList();
        try {
            CyclicBarrier start = new CyclicBarrier(CLIENTS);
            for (int round = 0; round < ROUNDS; round++) {
                List<Optional<Lease>> leases = together(clients.stream()
                        .<Supplier<Optional<Lease>>>map(client -> () -> {
                            meet(start);
                            return client.lock("hotel").tryAcquire();
                        })
                        .toList());
                assertThat(leases).filteredOn(Optional::isPresent).hasSize(1);
                leases.forEach(lease -> lease.ifPresent(Lease::close));
            }
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    private <T> List<T> together(List<Supplier<T>> calls) throws Exception {
        List<CompletableFuture<T>> futures = calls.stream()
                .map(call -> CompletableFuture.supplyAsync(call, threads))
                .toList();
        CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        return futures.stream().map(CompletableFuture::join).toList();
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(10, TimeUnit.SECONDS);
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }
}
