package io.holdfast.internal.runtime;

import io.holdfast.monitoring.HoldfastListener;
import io.holdfast.monitoring.LockEvent;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The events for one listener: delivered one at a time, in the order in which they were added. Bounded: events that a slow
 * listener has no room for are dropped and counted. Thread-safe.
 */
final class ListenerQueue {

    static final int CAPACITY = 8_192;

    /** So many events are delivered by one task: the executor may have other tasks. */
    private static final int AT_ONCE = 64;

    private static final long BETWEEN_REPORTS = TimeUnit.MINUTES.toNanos(1);

    private final HoldfastListener listener;
    private final Executor executor;
    private final BiConsumer<HoldfastListener, Throwable> onFailure;
    private final ArrayBlockingQueue<LockEvent> events = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicLong dropped = new AtomicLong();
    /** All that were dropped, and how many of them were logged. */
    private final AtomicLong droppedInAll = new AtomicLong();

    private final AtomicLong logged = new AtomicLong();
    /** On the monotonic clock; meaningful if something was logged. */
    private volatile long loggedAt;

    private final AtomicBoolean delivering = new AtomicBoolean();
    private volatile boolean stopped;

    /** {@code onFailure} gets what the listener throws. */
    ListenerQueue(HoldfastListener listener, Executor executor, BiConsumer<HoldfastListener, Throwable> onFailure) {
        this.listener = listener;
        this.executor = executor;
        this.onFailure = onFailure;
    }

    /** Adds an event, or drops it. Calls no foreign code: the caller may hold the mutex of a local queue. */
    void add(LockEvent event) {
        if (!events.offer(event)) {
            dropped.incrementAndGet();
            droppedInAll.incrementAndGet();
        }
    }

    /** How many events were dropped since the last call; at most once a minute, and else zero. */
    long takeOverflow(long now) {
        long all = droppedInAll.get();
        long before = logged.get();
        if (all == before || (before > 0 && now - loggedAt < BETWEEN_REPORTS) || !logged.compareAndSet(before, all)) {
            return 0;
        }
        loggedAt = now;
        return all - before;
    }

    /** The listener was removed: it gets no event that it has not got yet. */
    void stop() {
        stopped = true;
    }

    /** Starts the delivery of what was added. */
    void deliver() {
        if (!stopped && !events.isEmpty() && delivering.compareAndSet(false, true)) {
            try {
                executor.execute(this::deliverAll);
            } catch (Throwable refused) {
                // The events stay in the queue, and the next one tries again.
                delivering.set(false);
                throw refused;
            }
        }
    }

    HoldfastListener listener() {
        return listener;
    }

    private void deliverAll() {
        try {
            for (int i = 0; i < AT_ONCE && !stopped; i++) {
                LockEvent next = events.poll();
                if (next == null) {
                    break;
                }
                notify(next);
                reportDropped();
            }
        } finally {
            delivering.set(false);
        }
        // The rest; and an event that was added after the last poll, before the flag was reset, has no other delivery.
        deliver();
    }

    private void notify(LockEvent event) {
        try {
            listener.on(event);
        } catch (Throwable thrown) {
            onFailure.accept(listener, thrown);
        }
    }

    private void reportDropped() {
        long count = dropped.getAndSet(0);
        if (count > 0) {
            try {
                listener.dropped(count);
            } catch (Throwable thrown) {
                onFailure.accept(listener, thrown);
            }
        }
    }
}
