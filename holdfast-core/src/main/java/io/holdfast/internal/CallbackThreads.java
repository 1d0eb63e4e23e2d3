package io.holdfast.internal;

import io.holdfast.spi.DaemonThreads;
import io.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that run user code if the user gives no executor, or one that refuses. They end when there is nothing to do. A
 * queue that grows is logged: user code is slower than what calls it.
 */
final class CallbackThreads implements Executor {

    private static final int THREADS = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
    private static final int LONG_QUEUE = 1_000;

    private final ThreadPoolExecutor threads;
    private final RateLimitedLog log;

    /** Threads with the context class loader of the calling thread, which is the application's. */
    CallbackThreads(String name, Ticker ticker) {
        this.log = new RateLimitedLog(ticker);
        this.threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                5,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named(name).numbered());
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable callback) {
        threads.execute(callback);
        int waiting = threads.getQueue().size();
        if (waiting >= LONG_QUEUE) {
            log.log(
                    Level.WARNING,
                    () -> waiting + " callbacks wait for one of " + THREADS + " threads: listeners, onLost callbacks or"
                            + " continuations of acquireAsync() are too slow. Make them shorter, or set an executor with"
                            + " more threads on the builder of this Holdfast.");
        }
    }

    /** Lets callbacks that were handed over already run to their end. */
    void shutdown() {
        threads.shutdown();
    }
}
