package io.holdfast.internal;

import io.holdfast.HoldfastListener;
import io.holdfast.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Tells listeners, on the executor, and the log, at most once a second for each kind of news. */
final class Events {

    private static final Logger LOG = System.getLogger("io.holdfast");
    private static final long LOG_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final List<HoldfastListener> listeners;
    private final Engine engine;
    private final Ticker ticker;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Map<News, Quiet> quiet = new EnumMap<>(News.class);

    /** What is logged. */
    private enum News {
        LOST,
        RENEWAL_FAILED,
        FORGOTTEN,
        HELD_TOO_LONG,
        RELEASE_FAILED
    }

    /** Since when a kind of news has been kept back, and how much of it. */
    private static final class Quiet {
        private long until;
        private int suppressed;
    }

    Events(List<HoldfastListener> listeners, Engine engine, Ticker ticker) {
        this.listeners = List.copyOf(listeners);
        this.engine = engine;
        this.ticker = ticker;
    }

    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    void waiting(String name, Waiter waiter) {
        emit(event(LockEvent.Kind.WAITING, name, waiter, 0, null));
    }

    void timedOut(String name, Waiter waiter) {
        if (!listeners.isEmpty()) {
            emit(event(LockEvent.Kind.TIMED_OUT, name, waiter, 0, null));
        }
    }

    void served(LockEvent.Kind how, Hold hold, Waiter waiter) {
        if (!listeners.isEmpty()) {
            emit(event(how, hold.line.name(), waiter, hold.token, null));
        }
    }

    void ended(LockEvent.Kind how, Hold hold, @Nullable Throwable cause) {
        if (!listeners.isEmpty()) {
            emit(event(how, hold, cause));
        }
    }

    void lost(Hold hold) {
        ended(LockEvent.Kind.LOST, hold, null);
        log(
                Level.WARNING,
                News.LOST,
                null,
                () -> "Lost: " + describe(hold) + ": " + hold.reason()
                        + ". Work done under it may overlap with the next holder.");
    }

    void renewalFailed(Hold hold, @Nullable Throwable cause, boolean firstTime) {
        ended(LockEvent.Kind.RENEWAL_FAILED, hold, cause);
        if (firstTime) {
            ended(LockEvent.Kind.AT_RISK, hold, cause);
        }
        log(
                Level.WARNING,
                News.RENEWAL_FAILED,
                cause,
                () -> "A renewal of " + describe(hold)
                        + (cause == null ? " was not answered" : " failed")
                        + "; trying again until the lease is over, in "
                        + Duration.ofNanos(hold.left(engine.now())) + ".");
    }

    void forgotten(Hold hold) {
        // First, so that whoever hears of it finds it in the log.
        log(
                Level.ERROR,
                News.FORGOTTEN,
                null,
                () -> "Forgotten: " + describe(hold)
                        + " was dropped without being closed and has been released. Close leases with try-with-resources."
                        + " Acquired at " + hold.acquiredAt());
        ended(LockEvent.Kind.FORGOTTEN, hold, null);
    }

    void heldTooLong(Hold hold) {
        log(
                Level.WARNING,
                News.HELD_TOO_LONG,
                null,
                () -> "Held for long: " + describe(hold) + ", for " + Duration.ofNanos(ticker.nanos() - hold.since)
                        + ". Acquired at " + hold.acquiredAt());
    }

    void releaseFailed(Claim claim, Throwable failure) {
        log(
                Level.WARNING,
                News.RELEASE_FAILED,
                failure,
                () -> "The store did not answer the release of '"
                        + claim.name() + "' (claim " + claim.id() + "); it ends there when its lease is over, within "
                        + claim.lease() + ".");
    }

    private LockEvent event(LockEvent.Kind kind, String name, Waiter waiter, long token, @Nullable Throwable cause) {
        Duration waited = Duration.ofNanos(ticker.nanos() - waiter.since);
        return new LockEvent(kind, name, waiter.wish.terms().options().label(), token, waited, cause);
    }

    private LockEvent event(LockEvent.Kind kind, Hold hold, @Nullable Throwable cause) {
        Duration held = Duration.ofNanos(ticker.nanos() - hold.since);
        return new LockEvent(kind, hold.line.name(), hold.terms.options().label(), hold.token, held, cause);
    }

    private void emit(LockEvent event) {
        engine.execute(() -> {
            for (HoldfastListener listener : listeners) {
                try {
                    listener.on(event);
                } catch (Throwable thrown) {
                    LOG.log(
                            Level.ERROR,
                            "A HoldfastListener (" + listener.getClass().getName() + ") threw at " + event
                                    + "; the lock is not affected.",
                            thrown);
                }
            }
        });
    }

    private static String describe(Hold hold) {
        return "the lease on '" + hold.line.name() + "' (token " + hold.token + ")";
    }

    private void log(Level level, News kind, @Nullable Throwable cause, Supplier<String> text) {
        int suppressed;
        mutex.lock();
        try {
            Quiet state = quiet.computeIfAbsent(kind, key -> new Quiet());
            long now = ticker.nanos();
            if (state.until != 0 && now - state.until < 0) {
                state.suppressed++;
                return;
            }
            state.until = now + LOG_PAUSE;
            suppressed = state.suppressed;
            state.suppressed = 0;
        } finally {
            mutex.unlock();
        }
        String message = suppressed == 0 ? text.get() : text.get() + " (" + suppressed + " more of this kind before)";
        try {
            LOG.log(level, message, cause);
        } catch (RuntimeException | Error brokenHandler) {
            // There is nobody left to tell, and a lease must not be lost because of a log.
        }
    }
}
