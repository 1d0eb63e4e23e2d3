package io.holdfast.internal.queue;

import org.jspecify.annotations.Nullable;

/** Waiters in order of arrival; leaving from the middle takes constant time. Guarded by the queue's mutex. */
final class WaiterQueue {

    private @Nullable Waiter first;
    private @Nullable Waiter last;

    void add(Waiter waiter) {
        waiter.queued = true;
        waiter.before = last;
        if (last == null) {
            first = waiter;
        } else {
            last.after = waiter;
        }
        last = waiter;
    }

    @Nullable
    Waiter head() {
        return first;
    }

    /** Removes the waiter; false if it was not in. */
    boolean remove(Waiter waiter) {
        if (!waiter.queued) {
            return false;
        }
        waiter.queued = false;
        Waiter before = waiter.before;
        Waiter after = waiter.after;
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        waiter.before = null;
        waiter.after = null;
        return true;
    }

    boolean isEmpty() {
        return first == null;
    }
}
