package io.holdfast.internal.runtime;

import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DaemonThreads;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The threads that run user code. They end when there is nothing to do. There are more of them while callbacks block, and a queue
 * that grows is logged: user code is slower than what calls it.
 */
final class CallbackThreads implements Executor {

    /*
     * A callback may block until another callback has run: a continuation of acquireAsync() that joins another acquireAsync()
     * waits for a completion that needs one of these threads; even a timeout is such a completion. If as many of them block as
     * there are threads, they would wait for each other without end. So, if callbacks wait and none has ended for a while, the number of threads is doubled, up
     * to a limit. Callbacks that are slow but end do not add threads.
     */
    private static final int THREADS = Math.max(8, 2 * Runtime.getRuntime().availableProcessors());
    private static final int MOST_THREADS = 256;
    private static final long BLOCKED = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LONG_QUEUE = 1_000;

    private final int least;
    private final int most;
    private final ThreadPoolExecutor threads;
    private final Scheduler scheduler;
    private final RateLimitedLog log;
    private final RateLimitedLog growth;
    private final AtomicBoolean watching = new AtomicBoolean();
    /** How many callbacks had ended when the watch began; written by who has set {@code watching}. */
    private volatile long ended;

    private CallbackThreads(String name, int least, int most, Scheduler scheduler, Ticker ticker) {
        this.least = least;
        this.most = most;
        this.scheduler = scheduler;
        this.log = new RateLimitedLog(Engine.LOG, ticker, Duration.ofSeconds(1));
        this.growth = new RateLimitedLog(Engine.LOG, ticker, Duration.ofSeconds(1));
        this.threads = new ThreadPoolExecutor(
                least,
                least,
                5,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named(name).numbered());
        threads.allowCoreThreadTimeOut(true);
    }

    /** Threads for callbacks that may block, with the context class loader of the calling thread, which is the application's. */
    static CallbackThreads growing(String name, Scheduler scheduler, Ticker ticker) {
        return new CallbackThreads(name, THREADS, MOST_THREADS, scheduler, ticker);
    }

    @Override
    public void execute(Runnable callback) {
        threads.execute(callback);
        int waiting = threads.getQueue().size();
        if (waiting > 0 && least < most) {
            watch();
        }
        if (waiting >= LONG_QUEUE) {
            log.log(
                    Level.WARNING,
                    null,
                    () -> waiting + " callbacks wait for one of " + threads.getPoolSize()
                            + " threads: onLost callbacks or continuations of acquireAsync() are too slow. Make them shorter,"
                            + " or set an executor with more threads on the builder of this Holdfast.");
        }
    }

    private void watch() {
        if (watching.compareAndSet(false, true)) {
            ended = threads.getCompletedTaskCount();
            try {
                scheduler.schedule(this::check, BLOCKED);
            } catch (RuntimeException | Error refused) {
                // The callback was accepted; the next one tries again.
                watching.set(false);
                growth.log(Level.ERROR, refused, () -> "Callback threads cannot be watched: the timer was refused.");
            }
        }
    }

    private void check() {
        boolean blocked = ended == threads.getCompletedTaskCount();
        watching.set(false);
        if (threads.getQueue().isEmpty()) {
            if (threads.getActiveCount() <= least) {
                resize(least);
            }
            return;
        }
        try {
            if (blocked) {
                grow();
            }
        } finally {
            watch();
        }
    }

    private void grow() {
        int present = threads.getCorePoolSize();
        if (present == most) {
            growth.log(
                    Level.WARNING,
                    null,
                    () -> "All " + most + " callback threads are blocked, and "
                            + threads.getQueue().size()
                            + " callbacks wait. Do not block in onLost callbacks and continuations of acquireAsync().");
            return;
        }
        int more = Math.min(most, 2 * present);
        growth.log(
                Level.INFO,
                null,
                () -> "No callback has ended for " + DurationText.of(BLOCKED) + " on " + present + " threads, and "
                        + threads.getQueue().size() + " wait: now up to " + more
                        + " threads. Continuations of acquireAsync() and onLost callbacks should not block.");
        resize(more);
    }

    private void resize(int number) {
        if (number > threads.getMaximumPoolSize()) {
            threads.setMaximumPoolSize(number);
            threads.setCorePoolSize(number);
        } else if (number < threads.getCorePoolSize()) {
            threads.setCorePoolSize(number);
            threads.setMaximumPoolSize(number);
        }
    }

    /** Lets callbacks that were handed over already run to their end. */
    void shutdown() {
        threads.shutdown();
    }
}
