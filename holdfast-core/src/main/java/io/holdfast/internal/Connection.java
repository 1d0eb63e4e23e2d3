package io.holdfast.internal;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreFactory;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A store, the threads to serve it, and the engine on top: what has to be opened and closed together. */
public final class Connection implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private final @Nullable OwnThreads threads;
    private final LockStore store;
    private final boolean storeOwned;
    private final Engine engine;
    /** Not the executor of the user, which may be the calling thread. */
    private final Executor background;

    private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    /** Opens it. What is given stays the caller's; what is not is made here, and closed here. */
    public Connection(
            StoreFactory storeFactory,
            boolean storeOwned,
            @Nullable Environment given,
            @Nullable Executor executor,
            Settings settings) {
        this.storeOwned = storeOwned;
        Environment environment;
        Executor listening;
        if (given == null) {
            OwnThreads own = new OwnThreads(settings.listeners().size());
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
            this.store = storeFactory.open(environment);
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
            LOG.log(Level.WARNING, engine.storeName() + " could not be closed.", failed);
        }
    }

    private void closeStore() {
        try {
            if (storeOwned) {
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
