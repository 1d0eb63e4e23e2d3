package io.holdfast.internal;

import io.holdfast.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Log messages of one kind, at most one in a while; the next one says how many were left out. Never throws. Thread-safe. */
final class RateLimitedLog {

    private static final Logger LOG = System.getLogger("io.holdfast");

    private final Ticker ticker;
    private final long pause;
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean logged;
    private long lastAt;
    private int leftOut;

    /** At most one a second. */
    RateLimitedLog(Ticker ticker) {
        this(ticker, Duration.ofSeconds(1));
    }

    RateLimitedLog(Ticker ticker, Duration pause) {
        this.ticker = ticker;
        this.pause = pause.toNanos();
    }

    void log(Level level, Supplier<String> text) {
        log(level, null, text);
    }

    /** {@code thrown} is logged with its stack trace: for bugs, ours or the user's. */
    void log(Level level, @Nullable Throwable thrown, Supplier<String> text) {
        int before;
        mutex.lock();
        try {
            long now = ticker.nanos();
            if (logged && now - lastAt < pause) {
                leftOut++;
                return;
            }
            logged = true;
            lastAt = now;
            before = leftOut;
            leftOut = 0;
        } finally {
            mutex.unlock();
        }
        try {
            LOG.log(level, before == 0 ? text.get() : text.get() + " (" + before + " more like this before)", thrown);
        } catch (RuntimeException | Error brokenHandler) {
            // A lease must not be lost because a log handler fails, and there is no other place to report it.
        }
    }
}
