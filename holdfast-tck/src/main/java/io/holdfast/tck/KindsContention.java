package io.holdfast.tck;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Threads of several processes that read, write, and take permits through the engine, all at once. */
final class KindsContention {

    private static final int PROCESSES = 2;
    private static final int THREADS = 4;
    private static final int ROUNDS = 40;
    private static final int PERMITS = 3;
    /** Operations of the store that are put in order; a search among more of them could take longer than the case. */
    private static final int SAMPLE = 2_000;

    private final String book;
    private final String room;
    private final History readers = new History(Ticker.system());
    private final History writing = new History(Ticker.system());
    private final History permits = new History(Ticker.system());
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger writers = new AtomicInteger();
    /** Not atomic and not volatile: two writers at once lose updates. */
    private int counter;

    KindsContention(String prefix) {
        this.book = prefix + ":book";
        this.room = prefix + ":room";
    }

    void run(Supplier<Client> clients) throws Exception {
        CyclicBarrier start = new CyclicBarrier(PROCESSES * THREADS);
        List<Holdfast> holdfasts = new ArrayList<>();
        List<RecordingStore> stores = new ArrayList<>();
        List<Future<?>> work = new ArrayList<>();
        ExecutorService pool = Executors.newFixedThreadPool(PROCESSES * THREADS);
        try {
            for (int p = 0; p < PROCESSES; p++) {
                Client client = clients.get();
                RecordingStore store = new RecordingStore(client.store(), Ticker.system());
                stores.add(store);
                Holdfast holdfast = Holdfast.builder(store)
                        .environment(client.environment())
                        .defaults(
                                LockOptions.builder().maxWait(client.patience()).build())
                        .shutdownGrace(Duration.ZERO)
                        .build();
                holdfasts.add(holdfast);
                for (int t = 0; t < THREADS; t++) {
                    int seed = t;
                    String who = "process-" + p + "/thread-" + t;
                    work.add(pool.submit(() -> take(holdfast, seed, who, start)));
                }
            }
            for (Future<?> each : work) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
            holdfasts.forEach(Holdfast::close);
        }
        judge(stores);
    }

    private Void take(Holdfast holdfast, int seed, String who, CyclicBarrier start) throws Exception {
        DistributedReadWriteLock lock = holdfast.readWriteLock(book);
        DistributedSemaphore semaphore = holdfast.semaphore(room, PERMITS);
        start.await();
        for (int i = 0; i < ROUNDS; i++) {
            if ((i + seed) % 4 == 0) {
                lock.writeLock().run(lease -> recorded(writing, book, lease, who, this::write));
            } else {
                lock.readLock().run(lease -> recorded(readers, book, lease, who, this::read));
            }
            int count = 1 + (i + seed) % 2;
            semaphore.withPermits(count).run(lease -> recorded(permits, room, lease, who, () -> stay(count)));
        }
        return null;
    }

    private static void recorded(History history, String name, Lease lease, String who, Runnable section) {
        history.begin(name, lease.token(), who);
        section.run();
        history.end(name, lease.token(), who);
    }

    private void write() {
        if (writers.incrementAndGet() != 1) {
            violations.add("Two writers at once");
        }
        int seen = counter;
        Thread.onSpinWait();
        counter = seen + 1;
        written.incrementAndGet();
        writers.decrementAndGet();
    }

    private void read() {
        int seen = counter;
        Thread.onSpinWait();
        if (counter != seen || writers.get() != 0) {
            violations.add("A writer beside a reader");
        }
    }

    private void stay(int count) {
        if (inside.addAndGet(count) > PERMITS) {
            violations.add("More permits are out than there are");
        }
        inside.addAndGet(-count);
    }

    /** What the threads have seen, by their tokens; and what the store has answered, by its tokens and the models. */
    private void judge(List<RecordingStore> stores) {
        History ofBook = new History(Ticker.system());
        History ofRoom = new History(Ticker.system());
        for (RecordingStore store : stores) {
            for (Operation operation : store.operations()) {
                (operation.name().equals(book) ? ofBook : ofRoom).add(operation);
            }
        }
        violations.addAll(SharedTokens.checkReadersAndWriters(readers.spans(), writing.spans()));
        violations.addAll(SharedTokens.checkPermits(permits.spans()));
        violations.addAll(TokenBlocks.check(ofBook.operations()));
        violations.addAll(TokenBlocks.check(ofRoom.operations()));
        violations.addAll(Linearizability.check(Model.readWrite(Claim.READ_WRITE), ofBook.operations(SAMPLE))
                .violations());
        violations.addAll(Linearizability.check(Model.semaphore(PERMITS), ofRoom.operations(SAMPLE))
                .violations());
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    int lostUpdates() {
        return written.get() - counter;
    }
}
