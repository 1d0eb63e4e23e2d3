package io.holdfast.spi.support;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes daemon threads that inherit nothing from the thread which happens to need them first: no
 * {@link InheritableThreadLocal}, and as context class loader that of the thread which made this factory. A worker thread
 * outlives the request that started it, and would carry its security context into the callbacks of others. Make the factory
 * where the store is opened: there the context class loader is the application's.
 */
public final class DaemonThreads implements ThreadFactory {

    private final String name;
    private final @Nullable AtomicInteger count;
    private final @Nullable ClassLoader loader;

    private DaemonThreads(String name, @Nullable AtomicInteger count, @Nullable ClassLoader loader) {
        this.name = name;
        this.count = count;
        this.loader = loader;
    }

    /** All threads have this name. */
    public static DaemonThreads named(String name) {
        return new DaemonThreads(name, null, Thread.currentThread().getContextClassLoader());
    }

    /** The same, with a number behind the name that counts up from 1. */
    public DaemonThreads numbered() {
        return new DaemonThreads(name, new AtomicInteger(), loader);
    }

    @Override
    public Thread newThread(Runnable task) {
        String itsName = count == null ? name : name + count.incrementAndGet();
        Thread thread = new Thread(null, task, itsName, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(loader);
        return thread;
    }
}
