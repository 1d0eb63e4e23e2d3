package io.holdfast.jdbc;

import io.holdfast.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A store without the engine around it. */
final class StoreClient implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(60);

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final long process = ThreadLocalRandom.current().nextLong();
    private final AtomicLong sequence = new AtomicLong();
    private final LockStore store;

    StoreClient(JdbcStoreBuilder builder) {
        this(builder, task -> {});
    }

    /** Tells of whatever the store puts off. */
    StoreClient(JdbcStoreBuilder builder, Consumer<Runnable> scheduled) {
        Environment environment = new Environment(
                Ticker.system(),
                (task, delay) -> {
                    scheduled.accept(task);
                    ScheduledFuture<?> future = threads.schedule(task, delay, TimeUnit.NANOSECONDS);
                    return () -> future.cancel(false);
                },
                threads,
                () -> ThreadLocalRandom.current().nextDouble());
        this.store = builder.open(environment);
    }

    LockStore store() {
        return store;
    }

    Claim claim(String name, Claim.Mode mode) {
        return claim(name, mode, LEASE);
    }

    Claim claim(String name, Claim.Mode mode, Duration lease) {
        return claim(name, mode, 1, 1, lease);
    }

    /** For a reader, or for a writer. */
    Claim readWriteClaim(String name, Claim.Mode mode, int units) {
        return claim(name, mode, units, Claim.READ_WRITE, LEASE);
    }

    private Claim claim(String name, Claim.Mode mode, int units, int capacity, Duration lease) {
        return new Claim(
                name,
                new ClaimId(process, sequence.incrementAndGet()),
                mode,
                units,
                capacity,
                lease,
                1,
                new Owner("test", 1, "store-client", ""));
    }

    /** Whether the claim is granted; a failure is none. */
    boolean acquires(Claim claim) {
        try {
            return store.acquire(claim)
                    .get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .isPresent();
        } catch (Exception notAnswered) {
            return false;
        }
    }

    @Override
    public void close() {
        store.close();
        threads.shutdownNow();
    }
}
