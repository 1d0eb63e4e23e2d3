package io.holdfast.tck;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Many threads of several processes, let loose on one name at the same moment; with a counter that only a lock keeps right. */
final class Contention {

    /** Operations of the store that are put in order; a search among more of them could take longer than the case. */
    private static final int SAMPLE = 2_000;

    private final String name;
    private final int processes;
    private final int threads;
    private final int rounds;
    private final Ticker ticker = Ticker.system();
    private final History history = new History(ticker);
    private final AtomicInteger sections = new AtomicInteger();
    /** Not atomic and not volatile: two holders at once lose updates. */
    private int counter;

    Contention(String name, int processes, int threads, int rounds) {
        this.name = name;
        this.processes = processes;
        this.threads = threads;
        this.rounds = rounds;
    }

    void run(Supplier<Client> clients) throws Exception {
        CyclicBarrier start = new CyclicBarrier(processes * threads);
        List<Holdfast> holdfasts = new ArrayList<>();
        List<RecordingStore> stores = new ArrayList<>();
        List<Future<?>> work = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(processes * threads);
        try {
            for (int p = 0; p < processes; p++) {
                Client client = clients.get();
                RecordingStore store = new RecordingStore(client.store(), ticker);
                stores.add(store);
                Holdfast holdfast = Holdfast.builder(store)
                        .environment(client.environment())
                        .defaults(
                                LockOptions.builder().maxWait(client.patience()).build())
                        .shutdownGrace(Duration.ZERO)
                        .build();
                holdfasts.add(holdfast);
                for (int t = 0; t < threads; t++) {
                    String who = "process-" + p + "/thread-" + t;
                    work.add(pool.submit(() -> take(holdfast.lock(name), who, start)));
                }
            }
            for (Future<?> each : work) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
            holdfasts.forEach(Holdfast::close);
        }
        stores.forEach(store -> store.operations().forEach(history::add));
    }

    private Void take(DistributedLock lock, String who, CyclicBarrier start) throws Exception {
        start.await();
        for (int i = 0; i < rounds; i++) {
            lock.run(lease -> {
                history.begin(name, lease.token(), who);
                int seen = counter;
                Thread.onSpinWait();
                counter = seen + 1;
                sections.incrementAndGet();
                history.end(name, lease.token(), who);
            });
        }
        return null;
    }

    /** What the threads have seen, by their tokens; and what the store has answered, by its tokens and the model of a lock. */
    List<String> violations() {
        List<String> violations = new ArrayList<>(TokenSweep.check(history.spans()));
        violations.addAll(TokenBlocks.check(history.operations()));
        violations.addAll(Linearizability.check(Model.fencedMutex(), history.operations(SAMPLE))
                .violations());
        return violations;
    }

    int sections() {
        return sections.get();
    }

    int counter() {
        return counter;
    }
}
