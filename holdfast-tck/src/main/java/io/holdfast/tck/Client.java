package io.holdfast.tck;

import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** One client of the store under test, with its own threads and its own claim ids: as good as another process. */
final class Client implements AutoCloseable {

    private final String label;
    private final Duration patience;
    private final long process = new SecureRandom().nextLong();
    private final AtomicLong sequence = new AtomicLong();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Environment environment;
    private final LockStore store;

    Client(String label, Duration patience, StoreFactory open) {
        this.label = label;
        this.patience = patience;
        this.environment = new Environment(
                Ticker.system(),
                this::schedule,
                threads,
                () -> ThreadLocalRandom.current().nextDouble());
        this.store = open.open(environment);
    }

    Environment environment() {
        return environment;
    }

    Duration patience() {
        return patience;
    }

    LockStore store() {
        return store;
    }

    Claim claim(String name, Claim.Mode mode, Duration lease) {
        return claim(name, mode, lease, 1, 1);
    }

    Claim claim(String name, Claim.Mode mode, Duration lease, int units, int capacity) {
        ClaimId id = new ClaimId(process, sequence.incrementAndGet());
        return new Claim(name, id, mode, units, capacity, lease, 8, owner());
    }

    /** Who stands behind its claims. */
    Owner owner() {
        return new Owner("tck", 1, "kit", label);
    }

    /** One attempt. */
    Optional<Grant> attempt(String name, Duration lease) {
        return await(store.acquire(claim(name, Claim.Mode.TRY, lease)));
    }

    /** Waits for the grant of a new claim. */
    Grant acquire(String name, Duration lease) {
        return acquire(name, lease, 1, 1);
    }

    Grant acquire(String name, Duration lease, int units, int capacity) {
        return granted(store.acquire(claim(name, Claim.Mode.WAIT, lease, units, capacity)));
    }

    Grant granted(CompletableFuture<Optional<Grant>> answer) {
        return await(answer)
                .orElseThrow(
                        () -> new AssertionError("A claim that waits was answered with neither grant nor failure"));
    }

    boolean release(Grant grant) {
        return await(store.release(grant.claim()));
    }

    RenewalRequest.Outcome renew(Grant grant, Duration lease) {
        return await(store.renew(List.of(new RenewalRequest(grant.claim(), lease))))
                .get(0);
    }

    /** Whatever a store is asked, it has to answer. */
    <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException silence) {
            throw new AssertionError("No answer within " + patience, silence);
        } catch (ExecutionException failure) {
            throw new AssertionError("The store failed", failure.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", interrupted);
        }
    }

    private Scheduler.Task schedule(Runnable task, long delayNanos) {
        try {
            ScheduledFuture<?> future = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    @Override
    public void close() {
        store.close();
        timer.shutdownNow();
        threads.shutdown();
    }
}
