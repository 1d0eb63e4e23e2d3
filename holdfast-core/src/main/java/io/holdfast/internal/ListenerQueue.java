package io.holdfast.internal;

import io.holdfast.HoldfastListener;
import io.holdfast.LockEvent;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The events for one listener: delivered one at a time, in the order in which they were added. Bounded: events that a slow
 * listener has no room for are dropped and counted. Thread-safe.
 */
final class ListenerQueue {

    static final int CAPACITY = 8_192;

    private final HoldfastListener listener;
    private final Executor executor;
    private final BiConsumer<HoldfastListener, Throwable> onFailure;
    private final ArrayBlockingQueue<LockEvent> events = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicLong dropped = new AtomicLong();
    /** All that were dropped, and how many of them were logged. */
    private final AtomicLong droppedInAll = new AtomicLong();

    private final AtomicLong logged = new AtomicLong();

    private final AtomicBoolean delivering = new AtomicBoolean();

    /** {@code onFailure} gets what the listener throws. */
    ListenerQueue(HoldfastListener listener, Executor executor, BiConsumer<HoldfastListener, Throwable> onFailure) {
        this.listener = listener;
        this.executor = executor;
        this.onFailure = onFailure;
    }

    /** Adds an event, or drops it. Calls no foreign code: the caller may hold the mutex of a line. */
    void add(LockEvent event) {
        if (!events.offer(event)) {
            dropped.incrementAndGet();
            droppedInAll.incrementAndGet();
        }
    }

    /** Were events dropped that were not logged? */
    boolean hasOverflow() {
        return droppedInAll.get() != logged.get();
    }

    /** How many were dropped that were not logged; they count as logged from now on. */
    long takeOverflow() {
        long all = droppedInAll.get();
        return all - logged.getAndSet(all);
    }

    /** Sees to it that what was added is delivered. */
    void deliver() {
        if (!events.isEmpty() && delivering.compareAndSet(false, true)) {
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
            for (LockEvent next = events.poll(); next != null; next = events.poll()) {
                notify(next);
                reportDropped();
            }
        } finally {
            delivering.set(false);
        }
        // An event that was added after the last poll, and before the flag was reset, has no other delivery.
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
