package io.holdfast.internal;

import io.holdfast.HoldfastListener;
import io.holdfast.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.DurationText;
import io.holdfast.spi.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends events to the listeners, each in a queue of its own, and writes the log, at a limited rate. */
final class Events {

    /*
     * Order: the methods that make an event of a step of a line are called under the mutex of that line, and only add to queues.
     * So the events of one name are in the order of the steps, whichever threads take them. `deliver` is called without the mutex.
     */
    private final List<ListenerQueue> listeners;
    private final Engine engine;
    private final Ticker ticker;
    private final Map<News, RateLimitedLog> logs = new EnumMap<>(News.class);

    /** What is logged. */
    private enum News {
        LOST,
        RENEWAL_FAILED,
        FORGOTTEN,
        HELD_TOO_LONG,
        RELEASE_FAILED,
        LISTENER_FAILED,
        EVENTS_DROPPED(Duration.ZERO);

        private final Duration pause;

        News() {
            this(Duration.ofSeconds(1));
        }

        News(Duration pause) {
            this.pause = pause;
        }
    }

    Events(List<HoldfastListener> listeners, Executor executor, Engine engine, Ticker ticker) {
        this.listeners = listeners.stream()
                .map(listener -> new ListenerQueue(listener, executor, this::listenerFailed))
                .toList();
        this.engine = engine;
        this.ticker = ticker;
        for (News kind : News.values()) {
            logs.put(kind, new RateLimitedLog(ticker, kind.pause));
        }
    }

    boolean hasListeners() {
        return !listeners.isEmpty();
    }

    void waiting(String name, Waiter waiter) {
        add(event(LockEvent.Kind.WAITING, name, waiter, 0, null));
    }

    void timedOut(String name, Waiter waiter) {
        if (!listeners.isEmpty()) {
            add(event(LockEvent.Kind.TIMED_OUT, name, waiter, 0, null));
            deliver();
        }
    }

    /** The store did not answer the claim of a waiter; it is retried. */
    void acquireFailed(String name, Waiter waiter, Throwable cause) {
        add(event(LockEvent.Kind.ACQUIRE_FAILED, name, waiter, 0, cause));
    }

    void served(LockEvent.Kind how, Hold hold, Waiter waiter) {
        add(event(how, hold.line.name(), waiter, hold.token, null));
    }

    /** Something other than its beginning happened to a lease. */
    void happened(LockEvent.Kind what, Hold hold, @Nullable Throwable cause) {
        add(event(what, hold, cause));
    }

    /** Sees to it that listeners get what was added. Without the mutex of a line: it may start a thread. */
    void deliver() {
        for (ListenerQueue queue : listeners) {
            long dropped = queue.takeOverflow(ticker.nanos());
            if (dropped > 0) {
                log(
                        Level.WARNING,
                        News.EVENTS_DROPPED,
                        null,
                        () -> "Events are dropped (" + dropped
                                + " so far, or since the last line): the HoldfastListener "
                                + queue.listener().getClass().getName() + " is slower than they come, and its queue of "
                                + ListenerQueue.CAPACITY
                                + " was full. Locks are not affected. Make the listener faster, or"
                                + " let it pass events to another thread.");
            }
            try {
                queue.deliver();
            } catch (RuntimeException | Error refused) {
                listenerFailed(queue.listener(), refused);
            }
        }
    }

    /** The store did not have the lease any more when it was released: the line has nothing to do with it by now. */
    void lostAtRelease(Hold hold) {
        if (!listeners.isEmpty()) {
            happened(LockEvent.Kind.LOST, hold, null);
            deliver();
        }
    }

    /** Logs a lost lease. */
    void lost(Hold hold) {
        if (hold.isForgotten()) {
            // Its expiry was announced when it became unreachable.
            return;
        }
        log(
                Level.WARNING,
                News.LOST,
                null,
                () -> "Lost: " + describe(hold) + ": " + hold.reason()
                        + ". Work done under it may overlap with the next holder.");
    }

    /** Logs the first renewal that failed; {@code cause} is null if it was not answered in time. */
    void renewalFailed(Hold hold, @Nullable Throwable cause) {
        if (!engine.health().isDown()) {
            log(
                    Level.WARNING,
                    News.RENEWAL_FAILED,
                    null,
                    () -> "A renewal of " + describe(hold)
                            + (cause == null
                                    ? " was not answered in time"
                                    : " failed (" + Futures.describe(cause) + ")")
                            + ". It is retried until the lease expires, in "
                            + DurationText.of(hold.left(engine.now())) + ".");
        }
    }

    /** A lease that became unreachable. */
    void forgotten(Hold hold) {
        forgotten(
                hold,
                " became unreachable without being closed. Its critical section may still be running, so the lease is not"
                        + " released; it is no longer renewed and expires in "
                        + DurationText.of(hold.left(engine.now())) + ". Close leases with try-with-resources.");
    }

    /** The lease of an {@code asLock()} whose thread has ended. */
    void ownerDied(Hold hold) {
        forgotten(
                hold,
                " was released, because the thread that locked it ended without unlocking it. Call unlock() in a finally"
                        + " block.");
    }

    private void forgotten(Hold hold, String what) {
        log(
                Level.ERROR,
                News.FORGOTTEN,
                null,
                () -> "Forgotten: " + describe(hold) + what + " Acquired at " + hold.acquiredAt());
    }

    void heldTooLong(Hold hold) {
        log(
                Level.WARNING,
                News.HELD_TOO_LONG,
                null,
                () -> "Held for long: " + describe(hold) + ", for " + DurationText.of(ticker.nanos() - hold.since)
                        + ". Acquired at " + hold.acquiredAt());
    }

    /** The release of a lease was given up. The outage is in the log already, if there is one. */
    void releaseFailed(Claim claim, Throwable failure) {
        gaveUp(
                failure,
                () -> "The store did not answer the release of '" + claim.name() + "' (claim " + claim.id()
                        + "). The name stays locked until the lease expires there, within "
                        + DurationText.of(claim.lease()) + ".");
    }

    /** The rest of {@code holdAtLeast} is over or this process is closed, and the store has not answered. */
    void shorteningFailed(Claim claim, Throwable failure) {
        gaveUp(
                failure,
                () -> "The store did not answer a request to keep '" + claim.name() + "' (claim " + claim.id()
                        + ") locked for the rest of holdAtLeast only. The name may stay locked until the lease expires, within "
                        + DurationText.of(claim.lease()) + ".");
    }

    /** The withdrawal of a claim was given up, of which it is not known whether it was granted. */
    void withdrawalFailed(Claim claim, Throwable failure) {
        gaveUp(
                failure,
                () -> "The store answered neither a request for '" + claim.name() + "' (claim " + claim.id()
                        + ") nor its withdrawal. If it has granted the request, the name stays locked until that lease"
                        + " expires, within " + DurationText.of(claim.lease()) + ".");
    }

    private void gaveUp(Throwable failure, Supplier<String> text) {
        if (!engine.health().isDown()) {
            log(Level.WARNING, News.RELEASE_FAILED, null, () -> text.get() + " Cause: " + Futures.describe(failure));
        }
    }

    private LockEvent event(LockEvent.Kind kind, String name, Waiter waiter, long token, @Nullable Throwable cause) {
        Duration waited = Duration.ofNanos(ticker.nanos() - waiter.since);
        return new LockEvent(kind, name, waiter.wish.terms().options().label(), token, waited, cause);
    }

    private LockEvent event(LockEvent.Kind kind, Hold hold, @Nullable Throwable cause) {
        Duration held = Duration.ofNanos(ticker.nanos() - hold.since);
        return new LockEvent(kind, hold.line.name(), hold.terms.options().label(), hold.token, held, cause);
    }

    private void add(LockEvent event) {
        for (ListenerQueue queue : listeners) {
            queue.add(event);
        }
    }

    private void listenerFailed(HoldfastListener listener, Throwable thrown) {
        log(
                Level.ERROR,
                News.LISTENER_FAILED,
                thrown,
                () -> "The HoldfastListener " + listener.getClass().getName()
                        + " threw an exception, or could not be called; the lock is not affected.");
    }

    private String describe(Hold hold) {
        return "the lease on '" + hold.line.name() + "' in " + engine.storeName() + " (token " + hold.token + ")";
    }

    @SuppressWarnings("NullAway") // there is one for each
    private void log(Level level, News kind, @Nullable Throwable thrown, Supplier<String> text) {
        logs.get(kind).log(level, thrown, text);
    }
}
