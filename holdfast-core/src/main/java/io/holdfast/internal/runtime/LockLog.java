package io.holdfast.internal.runtime;

import io.holdfast.internal.queue.CallSites;
import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.Failures;
import io.holdfast.spi.support.RateLimitedLog;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The log messages about leases and listeners, each kind at a limited rate. */
final class LockLog {

    private final StoreClient store;
    private final Supplier<Moment> clock;
    private final Ticker ticker;
    private final Map<Kind, RateLimitedLog> logs = new EnumMap<>(Kind.class);

    private enum Kind {
        LOST,
        RENEWAL_FAILED,
        FORGOTTEN,
        HELD_TOO_LONG,
        RELEASE_FAILED,
        LISTENER_FAILED,
        EVENTS_DROPPED(Duration.ZERO);

        private final Duration pause;

        Kind() {
            this(Duration.ofSeconds(1));
        }

        Kind(Duration pause) {
            this.pause = pause;
        }
    }

    LockLog(StoreClient store, Supplier<Moment> clock, Ticker ticker) {
        this.store = store;
        this.clock = clock;
        this.ticker = ticker;
        for (Kind kind : Kind.values()) {
            logs.put(kind, new RateLimitedLog(Engine.LOG, ticker, kind.pause));
        }
    }

    void lost(LeaseRecord lease) {
        if (lease.isForgotten()) {
            // Its expiry was logged in advance when it became unreachable.
            return;
        }
        log(
                Level.WARNING,
                Kind.LOST,
                null,
                () -> "Lost: " + describe(lease) + ": " + lease.reason()
                        + ". Work done under it may overlap with the next holder.");
    }

    /** {@code cause} is null if the renewal was not answered in time. An outage is in the log already. */
    void renewalFailed(LeaseRecord lease, @Nullable Throwable cause) {
        if (!store.health().isDown()) {
            log(
                    Level.WARNING,
                    Kind.RENEWAL_FAILED,
                    null,
                    () -> "A renewal of " + describe(lease)
                            + (cause == null
                                    ? " was not answered in time"
                                    : " failed (" + Failures.describe(cause) + ")")
                            + ". It is retried until the lease expires, in " + DurationText.of(lease.left(clock.get()))
                            + ".");
        }
    }

    void forgotten(LeaseRecord lease) {
        forgotten(
                lease,
                " became unreachable without being closed. Its critical section may still be running, so the lease is not"
                        + " released; it is no longer renewed and expires in "
                        + DurationText.of(lease.left(clock.get())) + ". Close leases with try-with-resources.");
    }

    void ownerDied(LeaseRecord lease) {
        forgotten(
                lease,
                " was released, because the thread that locked it ended without unlocking it. Call unlock() in a finally"
                        + " block.");
    }

    private void forgotten(LeaseRecord lease, String what) {
        log(Level.ERROR, Kind.FORGOTTEN, null, () -> "Forgotten: " + describe(lease) + what + acquiredAt(lease));
    }

    void heldTooLong(LeaseRecord lease) {
        log(
                Level.WARNING,
                Kind.HELD_TOO_LONG,
                null,
                () -> "Held for long: " + describe(lease) + ", for " + DurationText.of(ticker.nanos() - lease.since())
                        + "." + acquiredAt(lease));
    }

    private static String acquiredAt(LeaseRecord lease) {
        return " Acquired at " + CallSites.describe(lease.callSite());
    }

    /** The release of a lease was given up. */
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
                () -> "The store answered neither a claim for '" + claim.name() + "' (claim " + claim.id()
                        + ") nor its withdrawal. If it has granted the claim, the name stays locked until that lease"
                        + " expires, within " + DurationText.of(claim.lease()) + ".");
    }

    private void gaveUp(Throwable failure, Supplier<String> text) {
        if (!store.health().isDown()) {
            log(Level.WARNING, Kind.RELEASE_FAILED, null, () -> text.get() + " Cause: " + Failures.describe(failure));
        }
    }

    void eventsDropped(HoldfastListener listener, long dropped) {
        log(
                Level.WARNING,
                Kind.EVENTS_DROPPED,
                null,
                () -> "Events are dropped (" + dropped + " so far, or since the last line): the HoldfastListener "
                        + listener.getClass().getName() + " is slower than they come, and its queue of "
                        + ListenerQueue.CAPACITY
                        + " was full. Locks are not affected. Make the listener faster, or let it pass events to another"
                        + " thread.");
    }

    void listenerFailed(HoldfastListener listener, Throwable thrown) {
        log(
                Level.ERROR,
                Kind.LISTENER_FAILED,
                thrown,
                () -> "The HoldfastListener " + listener.getClass().getName()
                        + " threw an exception, or could not be called; the lock is not affected.");
    }

    private String describe(LeaseRecord lease) {
        return "the lease on '" + lease.name() + "' in " + store.name() + " (token " + lease.token() + ")";
    }

    @SuppressWarnings("NullAway") // there is one for each
    private void log(Level level, Kind kind, @Nullable Throwable thrown, Supplier<String> text) {
        logs.get(kind).log(level, thrown, text);
    }
}
