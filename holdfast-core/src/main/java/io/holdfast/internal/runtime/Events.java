package io.holdfast.internal.runtime;

import io.holdfast.internal.queue.LeaseRecord;
import io.holdfast.internal.queue.QueueEvents;
import io.holdfast.internal.queue.Waiter;
import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Sends events to the listeners, each through a queue of its own. */
final class Events implements QueueEvents {

    /*
     * Order: the methods that add an event of a step of a local queue are called under the mutex of that queue, and only add to the
     * queues of the listeners. So the events of one name are in the order of the steps, whichever threads take them, and a sequence
     * number is drawn in the same step. `deliver` is called without the mutex.
     */
    private final List<ListenerQueue> listeners = new CopyOnWriteArrayList<>();
    private final LockLog log;
    private final Ticker ticker;
    private final Executor executor;
    private final AtomicLong sequence = new AtomicLong();

    Events(LockLog log, Ticker ticker, Executor executor) {
        this.log = log;
        this.ticker = ticker;
        this.executor = executor;
    }

    void add(HoldfastListener listener) {
        listeners.add(new ListenerQueue(listener, executor, log::listenerFailed));
    }

    void remove(HoldfastListener listener) {
        for (ListenerQueue queue : listeners) {
            if (queue.listener() == listener) {
                queue.stop();
                listeners.remove(queue);
                return;
            }
        }
    }

    @Override
    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    @Override
    public void add(LockEvent.Kind kind, Waiter waiter, long token, @Nullable Throwable cause) {
        add(kind, waiter.request.name(), waiter.request.options().label(), token, ticker.nanos() - waiter.since, cause);
    }

    @Override
    public void add(LockEvent.Kind kind, LeaseRecord lease, @Nullable Throwable cause) {
        add(kind, lease.name(), lease.label(), lease.token(), lease.heldNanos(ticker.nanos()), cause);
    }

    /** This process has released a lease by force. */
    void forceReleased(String name, long token) {
        if (hasListeners()) {
            add(LockEvent.Kind.FORCE_RELEASED, name, "", token, 0, null);
            deliver();
        }
    }

    private void add(
            LockEvent.Kind kind, String name, String label, long token, long elapsed, @Nullable Throwable cause) {
        Instant time = Instant.EPOCH.plus(ticker.wallMicros(), ChronoUnit.MICROS);
        LockEvent event = new LockEvent(
                sequence.incrementAndGet(), time, kind, name, label, token, Duration.ofNanos(elapsed), cause);
        for (ListenerQueue queue : listeners) {
            queue.add(event);
        }
    }

    /** Without the mutex of a local queue: it may start a thread. */
    @Override
    public void deliver() {
        for (ListenerQueue queue : listeners) {
            long dropped = queue.takeOverflow(ticker.nanos());
            if (dropped > 0) {
                log.eventsDropped(queue.listener(), dropped);
            }
            try {
                queue.deliver();
            } catch (RuntimeException | Error refused) {
                log.listenerFailed(queue.listener(), refused);
            }
        }
    }

    @Override
    public void logLost(LeaseRecord lease) {
        log.lost(lease);
    }

    @Override
    public void logRenewalFailed(LeaseRecord lease, @Nullable Throwable cause) {
        log.renewalFailed(lease, cause);
    }

    @Override
    public void logForgotten(LeaseRecord lease) {
        log.forgotten(lease);
    }

    @Override
    public void logOwnerDied(LeaseRecord lease) {
        log.ownerDied(lease);
    }

    @Override
    public void logHeldTooLong(LeaseRecord lease) {
        log.heldTooLong(lease);
    }

    void releaseFailed(Claim claim, Throwable failure) {
        log.releaseFailed(claim, failure);
    }

    void shorteningFailed(Claim claim, Throwable failure) {
        log.shorteningFailed(claim, failure);
    }

    void withdrawalFailed(Claim claim, Throwable failure) {
        log.withdrawalFailed(claim, failure);
    }
}
