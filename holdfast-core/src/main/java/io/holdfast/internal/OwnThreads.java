package io.holdfast.internal;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;

/** The threads of one {@code Holdfast}: for timers, for callbacks, and for listeners. Each is started when it is needed. */
final class OwnThreads {

    private final DaemonScheduler scheduler = new DaemonScheduler("holdfast-keeper");
    private final CallbackThreads callbacks = CallbackThreads.growing("holdfast-callback-", scheduler, Ticker.system());
    private final CallbackThreads listeners;

    /** With a thread for each of the listeners. */
    OwnThreads(int listenerCount) {
        this.listeners =
                CallbackThreads.fixed("holdfast-listener-", Math.max(1, listenerCount), scheduler, Ticker.system());
    }

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

    /** Lets callbacks that were handed over already run to their end; the threads are daemons. */
    void stop() {
        scheduler.close();
        callbacks.shutdown();
        listeners.shutdown();
    }
}
