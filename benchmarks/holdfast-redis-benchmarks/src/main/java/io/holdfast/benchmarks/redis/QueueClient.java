package io.holdfast.benchmarks.redis;

import io.holdfast.monitoring.Owner;
import io.holdfast.redis.RedisStore;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A client that takes as many places in a queue as one likes. It goes to the store without the engine, for which all threads
 * of a process are one claim.
 */
final class QueueClient implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Owner OWNER =
            new Owner("localhost", ProcessHandle.current().pid(), "bench", "");

    private final long process = ThreadLocalRandom.current().nextLong();
    private final LockStore store;
    private long claims;

    QueueClient(int port) {
        ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
        store = RedisStore.at("redis://127.0.0.1:" + port)
                .open(new Environment(
                        Ticker.system(),
                        (task, delay) -> {
                            ScheduledFuture<?> future = threads.schedule(task, delay, TimeUnit.NANOSECONDS);
                            return () -> future.cancel(false);
                        },
                        threads,
                        () -> ThreadLocalRandom.current().nextDouble()));
    }

    /** Asks for the lock of that name, and waits for it if it is taken. */
    Place claim(String name) {
        Claim claim = new Claim(name, new ClaimId(process, ++claims), Claim.Mode.WAIT, 1, 1, LEASE, 1, OWNER);
        return new Place(store, claim, store.acquire(claim));
    }

    /** Goes away and tells nobody, so that its places are left behind in the queue. */
    @Override
    public void close() {
        store.close();
    }

    /** A place in the queue. */
    record Place(LockStore store, Claim claim, CompletableFuture<Optional<Grant>> turn) {

        /** Returns when the lock is given to this one. */
        void awaitTurn() {
            turn.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        }

        /** Gives the lock back. */
        void leave() {
            awaitTurn();
            if (!withdraw().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join()) {
                throw new IllegalStateException("lost: " + claim);
            }
        }

        /** Gives up the lock, or the place; answered with true if it was the lock. */
        CompletableFuture<Boolean> withdraw() {
            return store.release(claim);
        }
    }
}
