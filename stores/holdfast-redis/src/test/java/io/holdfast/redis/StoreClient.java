package io.holdfast.redis;

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

/** A store without the engine around it. */
final class StoreClient implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(60);

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final long process = ThreadLocalRandom.current().nextLong();
    private final AtomicLong sequence = new AtomicLong();
    private final LockStore store;

    StoreClient(String url) {
        Environment environment = new Environment(
                Ticker.system(),
                (task, delay) -> {
                    ScheduledFuture<?> future = threads.schedule(task, delay, TimeUnit.NANOSECONDS);
                    return () -> future.cancel(false);
                },
                threads,
                () -> ThreadLocalRandom.current().nextDouble());
        this.store = RedisStore.at(url).open(environment);
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

    Claim claim(String name, Claim.Mode mode, int units, int capacity, Duration lease) {
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

    @Override
    public void close() {
        store.close();
        threads.shutdownNow();
    }
}
