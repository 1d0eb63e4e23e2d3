package io.holdfast.internal.runtime;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DaemonThreads;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of one {@code Holdfast}: for timers, for callbacks, and for listeners. Each is started when it is needed. */
final class RuntimeThreads {

    private final DaemonScheduler scheduler = new DaemonScheduler("holdfast-timer");
    private final CallbackThreads callbacks = CallbackThreads.growing("holdfast-callback-", scheduler, Ticker.system());
    /** As many as there are listeners: each has one task at a time. */
    private final ThreadPoolExecutor listeners = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            5,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            DaemonThreads.named("holdfast-listener-").numbered());

    Environment environment() {
        return new Environment(
                Ticker.system(),
                scheduler,
                callbacks,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    Executor forCallbacks() {
        return callbacks;
    }

    Executor forListeners() {
        return listeners;
    }

    /** Lets callbacks that were accepted already run to their end; the threads are daemons. */
    void stop() {
        scheduler.close();
        callbacks.shutdown();
        listeners.shutdown();
    }
}
