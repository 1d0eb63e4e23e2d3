package io.holdfast.spi;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes daemon threads that inherit nothing from the thread which happens to need them first: no
 * {@link InheritableThreadLocal} and no context class loader. A worker thread outlives the request that started it,
 * and would carry its security context into the callbacks of others.
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

    /** All threads have this name, and the class loader of Holdfast: for threads that run no user code. */
    public static DaemonThreads named(String name) {
        return new DaemonThreads(name, null, DaemonThreads.class.getClassLoader());
    }

    /** The name is followed by a number that counts up from 1. */
    public DaemonThreads numbered() {
        return new DaemonThreads(name, new AtomicInteger(), loader);
    }

    /** With that context class loader, for threads that run user code. */
    public DaemonThreads withClassLoader(@Nullable ClassLoader contextLoader) {
        return new DaemonThreads(name, count, contextLoader);
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
