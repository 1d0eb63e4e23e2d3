package io.holdfast.testkit;

import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.StoreFactory;
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
public final class StoreClient implements AutoCloseable {

    private static final Duration LEASE = Duration.ofSeconds(60);

    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
    private final long process = ThreadLocalRandom.current().nextLong();
    private final AtomicLong sequence = new AtomicLong();
    private final LockStore store;

    public StoreClient(StoreFactory opener) {
        this(opener, task -> {});
    }

    /** Tells of whatever the store puts off. */
    public StoreClient(StoreFactory opener, Consumer<Runnable> scheduled) {
        this.store = opener.open(environment((task, delay) -> {
            scheduled.accept(task);
            ScheduledFuture<?> future = threads.schedule(task, delay, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        }));
    }

    private StoreClient(StoreFactory opener, Scheduler scheduler) {
        this.store = opener.open(environment(scheduler));
    }

    /** A client whose timers never fire: it never polls, and is served only by what others or the server send. */
    public static StoreClient withoutTimers(StoreFactory opener) {
        return new StoreClient(opener, (task, delay) -> () -> {});
    }

    private Environment environment(Scheduler scheduler) {
        return new Environment(
                Ticker.system(),
                scheduler,
                threads,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    public LockStore store() {
        return store;
    }

    public Claim claim(String name, Claim.Mode mode) {
        return claim(name, mode, LEASE);
    }

    public Claim claim(String name, Claim.Mode mode, Duration lease) {
        return claim(name, mode, 1, 1, lease);
    }

    /** For a reader, or for a writer. */
    public Claim readWriteClaim(String name, Claim.Mode mode, int units) {
        return claim(name, mode, units, Claim.READ_WRITE, LEASE);
    }

    public Claim claim(String name, Claim.Mode mode, int units, int capacity, Duration lease) {
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
    public boolean acquires(Claim claim) {
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
