package io.holdfast.spi.support;

import io.holdfast.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Log messages of one kind at a limited rate; a message says how many were left out before it. Never throws. Thread-safe.
 */
public final class RateLimitedLog {

    private static final Duration PAUSE_OF_STORES = Duration.ofSeconds(10);

    private final Logger log;
    private final String prefix;
    private final Ticker ticker;
    private final long pause;
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean logged;
    private long lastAt;
    private int leftOut;

    /** At most one message in {@code pause}. */
    public RateLimitedLog(Logger log, Ticker ticker, Duration pause) {
        this(log, "", ticker, pause);
    }

    private RateLimitedLog(Logger log, String prefix, Ticker ticker, Duration pause) {
        this.log = log;
        this.prefix = prefix;
        this.ticker = ticker;
        this.pause = pause.toNanos();
    }

    /** Messages about the store of that name, which each of them begins with: at most one in ten seconds. */
    public static RateLimitedLog ofStore(Logger log, String storeName, Ticker ticker) {
        return new RateLimitedLog(log, storeName + ": ", ticker, PAUSE_OF_STORES);
    }

    /** A warning, or a count if one was logged just before. */
    public void warn(Supplier<String> text) {
        log(Level.WARNING, null, text);
    }

    /** {@code thrown} is logged with its stack trace: for bugs, of Holdfast or of the application. */
    public void log(Level level, @Nullable Throwable thrown, Supplier<String> text) {
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
            String tail = before == 0 ? "" : " (" + before + " more like this before)";
            log.log(level, prefix + text.get() + tail, thrown);
        } catch (RuntimeException | Error brokenHandler) {
            // A lease must not be lost because a log handler fails, and there is no other place to report it.
        }
    }
}
