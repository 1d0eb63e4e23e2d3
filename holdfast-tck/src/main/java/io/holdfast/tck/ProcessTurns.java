package io.holdfast.tck;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Ticker;
import io.holdfast.tck.Operation.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What one of several processes does to compete for a name, with a record of it. */
final class ProcessTurns {

    private static final int THREADS = 2;
    private static final int LEAST_ROUNDS = 3;

    private final String who;
    private final String name;
    private final Client client;
    private final Ticker ticker = Ticker.system();
    private final RecordingStore store;
    private final History history = new History(ticker);
    private final List<Operation> further = new ArrayList<>();

    ProcessTurns(String who, String name, Client client) {
        this.who = who;
        this.name = name;
        this.client = client;
        this.store = new RecordingStore(client.store(), ticker);
    }

    /** Two threads take the lock again and again for that long, through the engine. The store stays open. */
    void takeTurns(Duration time) throws InterruptedException, ExecutionException, TimeoutException {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try (Holdfast holdfast = Holdfast.builder(new Unclosed(store))
                .environment(client.environment())
                .defaults(LockOptions.builder().maxWait(client.patience()).build())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            List<Future<?>> work = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                String thread = who + "/thread-" + t;
                work.add(pool.submit(() -> takeTurns(holdfast.lock(name), thread, time)));
            }
            for (Future<?> each : work) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private void takeTurns(DistributedLock lock, String thread, Duration time) {
        long end = ticker.nanos() + time.toNanos();
        for (int i = 0; i < LEAST_ROUNDS || ticker.nanos() - end < 0; i++) {
            lock.run(lease -> {
                history.begin(name, lease.token(), thread);
                StoreCases.letPass(Duration.ofMillis(1));
                history.end(name, lease.token(), thread);
            });
        }
    }

    /** Takes the lock once more, and leaves it to end by itself. */
    Grant acquire(Duration lease) {
        Grant grant = client.granted(store.acquire(client.claim(name, Claim.Mode.WAIT, lease)));
        history.begin(name, grant.firstToken(), who);
        history.end(name, grant.firstToken(), who);
        return grant;
    }

    /** This process is about to end. A store may see that, and free the name before the lease ends; it need not. */
    void diesWith(Grant grant) {
        further.add(Operation.release(
                name,
                grant.claim().id().toString(),
                OptionalLong.of(grant.firstToken()),
                Outcome.UNKNOWN,
                ticker.nanos(),
                Operation.NEVER));
    }

    /** All that has happened so far, at times that other processes understand. */
    HistoryLines recorded(CommonClock clock) {
        List<Span> spans = new ArrayList<>();
        history.spans().forEach(span -> clock.align(span).ifPresent(spans::add));
        List<Operation> operations = new ArrayList<>();
        store.operations().forEach(operation -> operations.add(clock.align(operation)));
        further.forEach(operation -> operations.add(clock.align(operation)));
        return new HistoryLines(spans, operations);
    }

    /** The engine closes its store; this one is needed afterwards, and closed with its client. */
    private static final class Unclosed extends ForwardingStore {

        Unclosed(RecordingStore store) {
            super(store);
        }

        @Override
        public void close() {}
    }
}
