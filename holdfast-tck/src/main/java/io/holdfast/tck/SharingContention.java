package io.holdfast.tck;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Several clients that take one or two units of a name at a time, all at once. */
final class SharingContention {

    private static final int CLIENTS = 5;
    private static final int ROUNDS = 20;

    private final String name;
    private final int capacity;
    private final Duration lease;
    private final History history = new History(Ticker.system());

    SharingContention(String name, int capacity, Duration lease) {
        this.name = name;
        this.capacity = capacity;
        this.lease = lease;
    }

    void run(Supplier<Client> clients) throws Exception {
        CyclicBarrier start = new CyclicBarrier(CLIENTS);
        List<RecordingStore> stores = new ArrayList<>();
        List<Future<?>> work = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            for (int i = 0; i < CLIENTS; i++) {
                Client client = clients.get();
                RecordingStore store = new RecordingStore(client.store(), Ticker.system());
                stores.add(store);
                work.add(pool.submit(() -> take(client, store, start)));
            }
            for (Future<?> each : work) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
        stores.forEach(store -> store.operations().forEach(history::add));
    }

    private Void take(Client client, RecordingStore store, CyclicBarrier start) throws Exception {
        start.await();
        for (int i = 0; i < ROUNDS; i++) {
            Claim claim = client.claim(name, Claim.Mode.WAIT, lease, 1 + i % 2, capacity);
            Grant grant = client.granted(store.acquire(claim));
            StoreCases.letPass(Duration.ofMillis(1));
            client.await(store.release(grant.claim()));
        }
        return null;
    }

    List<String> violations() {
        List<String> violations = new ArrayList<>(TokenBlocks.check(history.operations()));
        violations.addAll(Linearizability.check(Model.semaphore(capacity), history.operations())
                .violations());
        return violations;
    }
}
