package io.holdfast.internal.runtime;

import io.holdfast.StoreUnavailableException;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A store, the threads that serve it, and the engine: what is opened and closed together. */
public final class HoldfastRuntime {

    private final @Nullable RuntimeThreads threads;
    private final LockStore store;
    private final StoreUse use;
    private final Engine engine;
    /** Not the executor of the user, which may be the calling thread. */
    private final Executor background;

    private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    /** Who opens and closes the store. */
    public enum StoreUse {
        /** The caller does both. */
        GIVEN,
        /** It is opened now, or that fails, and closed with the rest. */
        OPENED_NOW,
        /** It is opened now or, if it is unavailable, in the background, and closed with the rest. */
        OPENED_WHEN_AVAILABLE
    }

    /** Opens it. What is given stays the caller's; what is not is made here, and closed here. */
    public HoldfastRuntime(
            StoreFactory factory,
            StoreUse use,
            @Nullable Environment given,
            @Nullable Executor executor,
            Settings settings) {
        this.use = use;
        Environment environment;
        Executor listening;
        if (given == null) {
            RuntimeThreads own = new RuntimeThreads();
            this.threads = own;
            this.background = own.forCallbacks();
            listening = own.forListeners();
            environment = logged(own.environment(), executor);
        } else {
            this.threads = null;
            this.background = given.executor();
            environment = logged(given, executor);
            listening = environment.executor();
        }
        try {
            this.store = open(factory, environment);
        } catch (RuntimeException | Error failed) {
            stopThreads();
            throw failed;
        }
        try {
            this.engine = new Engine(store, environment, listening, settings);
        } catch (RuntimeException | Error failed) {
            closeStore();
            throw failed;
        }
    }

    private LockStore open(StoreFactory factory, Environment environment) {
        try {
            return factory.open(environment);
        } catch (StoreUnavailableException unavailable) {
            if (use != StoreUse.OPENED_WHEN_AVAILABLE) {
                throw unavailable;
            }
            return new ReconnectingStore(factory, environment, background, unavailable);
        }
    }

    public Engine engine() {
        return engine;
    }

    /**
     * The first caller closes; others wait until it has. {@code insideBody}: the calling thread is inside of a critical section, which
     * the first caller waits for, so it does not wait.
     */
    public void close(boolean insideBody) {
        Thread caller = Thread.currentThread();
        if (closer.compareAndSet(null, caller)) {
            try {
                closeAll();
            } finally {
                closed.complete(null);
            }
        } else if (!caller.equals(closer.get()) && !insideBody) {
            closed.join();
        }
    }

    private void closeAll() {
        boolean lateLeases;
        try {
            lateLeases = engine.close(this::closeStoreInBackground);
        } catch (RuntimeException | Error failed) {
            closeStore();
            throw failed;
        }
        if (!lateLeases) {
            closeStore();
        }
    }

    private void closeStoreInBackground() {
        try {
            background.execute(this::closeStoreLater);
        } catch (RuntimeException | Error refused) {
            // The executor of a given environment may have been shut down after close() had returned.
            engine.execute(this::closeStoreLater);
        }
    }

    /** After the last body has ended: there is no caller whom an exception could reach. */
    private void closeStoreLater() {
        try {
            closeStore();
        } catch (RuntimeException | Error failed) {
            Engine.LOG.log(Level.WARNING, engine.storeName() + " could not be closed.", failed);
        }
    }

    private void closeStore() {
        try {
            if (use != StoreUse.GIVEN) {
                store.close();
            }
        } finally {
            stopThreads();
        }
    }

    /** {@code executor} runs callbacks instead, if it is there. */
    private static Environment logged(Environment base, @Nullable Executor executor) {
        return new Environment(
                base.ticker(),
                new LoggedScheduler(base.scheduler(), base.ticker()),
                executor != null ? executor : base.executor(),
                base.random());
    }

    private void stopThreads() {
        if (threads != null) {
            threads.stop();
        }
    }
}
