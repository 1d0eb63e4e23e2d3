package io.holdfast.internal.runtime;

import io.holdfast.StoreUnavailableException;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.StoreFactory;
import io.holdfast.spi.support.Backoff;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.Failures;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A store that was down when its {@code Holdfast} was built. It is opened in the background, again and again, until that succeeds;
 * until then every request fails with the reason. Requests never wait for it.
 */
final class ReconnectingStore implements LockStore {

    private static final long LONGEST_BACKOFF = TimeUnit.SECONDS.toNanos(2);

    private final StoreFactory factory;
    private final Environment environment;
    private final Executor background;
    private final Backoff backoff;
    private final RateLimitedLog log;
    private final long startedAt;
    private final Capabilities unknown;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile RuntimeException failure;
    private volatile @Nullable LockStore store;
    private boolean closed;
    private int failures = 1;

    /** {@code background} runs the attempts, which may block; {@code failure} is that of the first one. */
    ReconnectingStore(
            StoreFactory factory, Environment environment, Executor background, StoreUnavailableException failure) {
        this.factory = factory;
        this.environment = environment;
        this.background = background;
        this.backoff = new Backoff(environment.random());
        this.log = new RateLimitedLog(Engine.LOG, environment.ticker(), Duration.ofMinutes(1));
        this.startedAt = environment.ticker().nanos();
        this.failure = failure;
        this.unknown = new Capabilities(failure.storeName(), Capabilities.Queue.NONE, Capabilities.Sharing.UNITS);
        log.warn(() -> failure.storeName() + ": the store is unavailable at the start (" + Failures.describe(failure)
                + "). It is connected in the background; until then acquisitions fail with StoreUnavailableException. Use"
                + " failFast() on the builder for an exception at the start.");
        retry();
    }

    private void retry() {
        environment.scheduler().schedule(this::connectInBackground, backoff.delay(failures, LONGEST_BACKOFF));
    }

    /** An executor that is full now may have a thread later. */
    private void connectInBackground() {
        try {
            background.execute(this::connect);
        } catch (RejectedExecutionException full) {
            retry();
        }
    }

    private void connect() {
        if (isClosed()) {
            return;
        }
        LockStore opened;
        try {
            opened = factory.open(environment);
        } catch (RuntimeException | Error failed) {
            failures++;
            failure = failed instanceof RuntimeException known ? known : new IllegalStateException(failed);
            String since = DurationText.of(environment.ticker().nanos() - startedAt);
            if (failed instanceof StoreUnavailableException) {
                log.warn(() -> unknown.name() + ": the store is still unavailable after " + since + " ("
                        + Failures.describe(failed) + "). The connection is retried.");
            } else {
                log.log(
                        Level.ERROR,
                        null,
                        () -> unknown.name() + ": the store can be reached after " + since
                                + ", but its configuration is wrong (" + Failures.describe(failed)
                                + "). Acquisitions fail until it is corrected; the connection is retried.");
            }
            retry();
            return;
        }
        if (connected(opened)) {
            Engine.LOG.log(
                    Level.INFO,
                    opened.capabilities().name() + ": connected, after "
                            + DurationText.of(environment.ticker().nanos() - startedAt) + ".");
        } else {
            opened.close();
        }
    }

    boolean isConnected() {
        return store != null;
    }

    private boolean isClosed() {
        mutex.lock();
        try {
            return closed;
        } finally {
            mutex.unlock();
        }
    }

    private boolean connected(LockStore opened) {
        mutex.lock();
        try {
            if (!closed) {
                store = opened;
            }
            return !closed;
        } finally {
            mutex.unlock();
        }
    }

    private <T> CompletableFuture<T> call(Function<LockStore, CompletableFuture<T>> request) {
        LockStore present = store;
        return present == null ? CompletableFuture.failedFuture(failure) : request.apply(present);
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        return call(present -> present.acquire(claim));
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        return call(present -> present.renew(renewals));
    }

    /** A claim that the store has never received is not held. */
    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        LockStore present = store;
        return present == null ? CompletableFuture.completedFuture(false) : present.release(claim);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return call(present -> present.shorten(claim, lease));
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return call(present -> present.inspect(filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return call(present -> present.revoke(name, token));
    }

    /** Everything is allowed until it is known what the store supports: claims are checked again then. */
    @Override
    public Capabilities capabilities() {
        LockStore present = store;
        return present == null ? unknown : present.capabilities();
    }

    @Override
    public void close() {
        LockStore present;
        mutex.lock();
        try {
            closed = true;
            present = store;
        } finally {
            mutex.unlock();
        }
        if (present != null) {
            present.close();
        }
    }
}
