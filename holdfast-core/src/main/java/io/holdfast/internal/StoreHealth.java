package io.holdfast.internal;

import io.holdfast.spi.DurationText;
import io.holdfast.spi.RefusedException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Whether the store answers. Logs one line when an outage begins, and one when it is over. Thread-safe. */
final class StoreHealth {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /**
     * An outage is over when the store has answered and no request has failed for this long: requests that were sent during
     * the outage fail later, and where one server of several is down, some requests fail while others are answered.
     */
    private static final long QUIET = TimeUnit.SECONDS.toNanos(1);

    private final Engine engine;
    private final ReentrantLock mutex = new ReentrantLock();
    private volatile boolean failing;
    private boolean checking;
    private long since;
    private long lastFailure;
    private long answeredAt;
    private long failures;

    StoreHealth(Engine engine) {
        this.engine = engine;
    }

    /** Has a request failed, and none been answered since for good? Then the outage is in the log. */
    boolean isFailing() {
        return failing;
    }

    /** A request was answered. */
    void answered() {
        if (!failing) {
            return;
        }
        mutex.lock();
        try {
            if (!failing || checking) {
                return;
            }
            checking = true;
            answeredAt = engine.nanos();
        } finally {
            mutex.unlock();
        }
        engine.schedule(this::check, QUIET);
    }

    /** A request was not answered, or with a failure. A refusal is an answer. */
    void failed(Throwable failure) {
        Throwable cause = Futures.unwrapped(failure);
        if (cause instanceof RefusedException || engine.isClosed()) {
            return;
        }
        mutex.lock();
        try {
            lastFailure = engine.nanos();
            failures++;
            if (failing) {
                return;
            }
            failing = true;
            since = lastFailure;
        } finally {
            mutex.unlock();
        }
        log(
                Level.WARNING,
                engine.storeName() + " does not answer (" + Futures.describe(cause)
                        + "). Leases are valid until their deadlines; renewals, releases and waiting claims are retried. The"
                        + " next line about this comes when the store answers again.");
    }

    private void check() {
        long length;
        long count;
        mutex.lock();
        try {
            checking = false;
            if (!failing || lastFailure - answeredAt > 0) {
                // The next answer starts another check.
                return;
            }
            failing = false;
            length = answeredAt - since;
            count = failures;
            failures = 0;
        } finally {
            mutex.unlock();
        }
        log(
                Level.INFO,
                engine.storeName() + " answers again after " + DurationText.of(length) + " (" + count
                        + (count == 1 ? " request" : " requests") + " failed).");
    }

    private static void log(Level level, String message) {
        try {
            LOG.log(level, message);
        } catch (RuntimeException | Error brokenHandler) {
            // A lease must not be lost because a log handler fails, and there is no other place to report it.
        }
    }
}
