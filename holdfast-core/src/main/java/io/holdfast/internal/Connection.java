package io.holdfast.internal;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A store, the threads to serve it, and the engine on top: what has to be opened and closed together. */
public final class Connection implements AutoCloseable {

    private final @Nullable DaemonScheduler scheduler;
    private final @Nullable CallbackThreads callbacks;
    private final LockStore store;
    private final boolean storeOwned;
    private final Engine engine;
    private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    /** Opens it. What is given stays the caller's; what is not is made here, and closed here. */
    public Connection(
            Function<Environment, LockStore> storeFactory,
            boolean storeOwned,
            @Nullable Environment given,
            @Nullable Executor executor,
            Settings settings) {
        this.storeOwned = storeOwned;
        this.scheduler = given == null ? new DaemonScheduler("holdfast-keeper") : null;
        this.callbacks =
                given == null && executor == null ? new CallbackThreads("holdfast-callback-", Ticker.system()) : null;
        Environment environment = environment(given, executor);
        try {
            this.store = storeFactory.apply(environment);
        } catch (RuntimeException | Error failed) {
            stopThreads();
            throw failed;
        }
        try {
            this.engine = new Engine(store, environment, settings);
        } catch (RuntimeException | Error failed) {
            if (storeOwned) {
                store.close();
            }
            stopThreads();
            throw failed;
        }
    }

    public Engine engine() {
        return engine;
    }

    /** The first caller closes; others wait until it has, unless it is a body of theirs that it waits for. */
    @Override
    public void close() {
        Thread caller = Thread.currentThread();
        if (closer.compareAndSet(null, caller)) {
            try {
                closeAll();
            } finally {
                closed.complete(null);
            }
        } else if (!caller.equals(closer.get()) && engine.threadHolds().isEmpty()) {
            closed.join();
        }
    }

    private void closeAll() {
        try {
            engine.close();
        } finally {
            try {
                if (storeOwned) {
                    store.close();
                }
            } finally {
                stopThreads();
            }
        }
    }

    @SuppressWarnings("NullAway") // what is not given was made
    private Environment environment(@Nullable Environment given, @Nullable Executor executor) {
        Environment base = given != null
                ? given
                : new Environment(
                        Ticker.system(),
                        scheduler,
                        callbacks,
                        () -> ThreadLocalRandom.current().nextDouble());
        return new Environment(
                base.ticker(),
                new LoggedScheduler(base.scheduler(), base.ticker()),
                executor != null ? executor : base.executor(),
                base.random());
    }

    /** Lets callbacks that were handed over already run to their end; they are daemons. */
    private void stopThreads() {
        if (scheduler != null) {
            scheduler.close();
        }
        if (callbacks != null) {
            callbacks.shutdown();
        }
    }
}
