package io.holdfast.internal.runtime;

import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.Failures;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Whether requests to the store succeed. Logs one line when an outage begins, and one when it is over. Thread-safe. */
final class StoreHealth {

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /**
     * An outage is over when a request has succeeded and none has failed for this long: requests that were sent during the outage
     * fail later, and where one server of several is down, each of them takes a command timeout and a backoff to fail again.
     */
    private static final long QUIET = TimeUnit.SECONDS.toNanos(5);

    /** For an outage that begins within this time after the last one: then it is over only after the same time. */
    private static final long SOON = TimeUnit.MINUTES.toNanos(1);

    private final Supplier<String> storeName;
    private final Ticker ticker;
    private final Scheduler scheduler;
    /** Is it known already why requests fail? Then that is no outage. */
    private final BooleanSupplier outageKnown;

    private final ReentrantLock mutex = new ReentrantLock();
    private volatile boolean failing;
    private volatile boolean answering;
    private boolean checking;
    private long since;
    private long lastFailure;
    private long answeredAt;
    private long failures;
    private long quiet = QUIET;
    private boolean recovered;
    private long recoveredAt;

    StoreHealth(Supplier<String> storeName, Ticker ticker, Scheduler scheduler, BooleanSupplier outageKnown) {
        this.storeName = storeName;
        this.ticker = ticker;
        this.scheduler = scheduler;
        this.outageKnown = outageKnown;
    }

    /** Has no request succeeded since one failed? Then the outage is in the log, and explains whatever else fails. */
    boolean isDown() {
        return failing && !answering;
    }

    /** A request has succeeded. */
    void answered() {
        if (!failing) {
            return;
        }
        long wait;
        mutex.lock();
        try {
            answering = true;
            if (!failing || checking) {
                return;
            }
            checking = true;
            answeredAt = ticker.nanos();
            wait = quiet;
        } finally {
            mutex.unlock();
        }
        scheduler.schedule(this::check, wait);
    }

    /** A request was not answered, or with a failure. A refusal is an answer. */
    void failed(Throwable failure) {
        Throwable cause = Failures.unwrap(failure);
        if (cause instanceof RefusedException || outageKnown.getAsBoolean()) {
            return;
        }
        mutex.lock();
        try {
            lastFailure = ticker.nanos();
            failures++;
            if (failing) {
                return;
            }
            failing = true;
            answering = false;
            since = lastFailure;
            quiet = recovered && since - recoveredAt < SOON ? SOON : QUIET;
        } finally {
            mutex.unlock();
        }
        log(
                Level.WARNING,
                storeName.get() + ": requests fail (" + Failures.describe(cause)
                        + "). Leases are valid until their deadlines; renewals, releases and waiting claims are retried. The"
                        + " next line about this comes when requests succeed again.");
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
            recovered = true;
            recoveredAt = ticker.nanos();
            length = answeredAt - since;
            count = failures;
            failures = 0;
        } finally {
            mutex.unlock();
        }
        log(
                Level.INFO,
                storeName.get() + ": requests succeed again after " + DurationText.of(length) + " (" + count
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
