package io.holdfast.internal.queue;

import io.holdfast.monitoring.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of the local queues. The methods that add an event only add it to the listeners' buffers, so they are called
 * under the mutex of the queue, which keeps the events of one name in order. The log methods and {@link #deliver} are called
 * without it.
 */
public interface QueueEvents {

    /** Are there listeners? */
    boolean hasListeners();

    /** Something happened to a waiter. */
    void add(LockEvent.Kind kind, Waiter waiter, long token, @Nullable Throwable cause);

    /** Something happened to a lease. */
    void add(LockEvent.Kind kind, LeaseRecord lease, @Nullable Throwable cause);

    /** Starts the delivery of what was added. */
    void deliver();

    void logLost(LeaseRecord lease);

    /** The first renewal that failed; {@code cause} is null if it was not answered in time. */
    void logRenewalFailed(LeaseRecord lease, @Nullable Throwable cause);

    /** A lease that became unreachable without being closed. */
    void logForgotten(LeaseRecord lease);

    /** The lease of an {@code asLock()} whose thread has ended. */
    void logOwnerDied(LeaseRecord lease);

    void logHeldTooLong(LeaseRecord lease);
}
