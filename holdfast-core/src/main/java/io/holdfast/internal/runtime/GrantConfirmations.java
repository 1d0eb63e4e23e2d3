package io.holdfast.internal.runtime;

import io.holdfast.internal.queue.DueRenewal;
import io.holdfast.internal.queue.HeldGrant;
import io.holdfast.internal.queue.LocalQueue;
import io.holdfast.spi.Moment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Confirms leases that begin with a short grant, as those do which a store hands over to a waiter: each is renewed 10 ms after
 * it began, unless it has been released by then.
 */
final class GrantConfirmations {

    /*
     * Such a lease is lost if the store stalls before it is confirmed, for what is left of the short grant; afterwards it
     * survives a stall as any other lease does. A critical section that is shorter needs no confirmation.
     *
     * All have the same delay, so a queue is in order of time and one timer is enough, whatever the rate of hand-offs is. The
     * renewal scheduler would have to scan every lease of the process for each of them.
     */
    private static final long DELAY = TimeUnit.MILLISECONDS.toNanos(10);

    /** Those that are due soon go along, in one batch. */
    private static final long EARLY = DELAY / 2;

    private final Engine engine;
    private final RenewalScheduler renewals;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Queue<Unconfirmed> unconfirmed = new ArrayDeque<>();
    /** Not if the scheduler has refused it: then the next one sets the timer. */
    private boolean scheduled;

    private record Unconfirmed(LocalQueue queue, HeldGrant held, long at) {}

    GrantConfirmations(Engine engine, RenewalScheduler renewals) {
        this.engine = engine;
        this.renewals = renewals;
    }

    /** Confirms it in time. */
    void add(LocalQueue queue, HeldGrant held) {
        Unconfirmed fresh = new Unconfirmed(queue, held, engine.nanos() + DELAY);
        mutex.lock();
        try {
            unconfirmed.add(fresh);
            if (!scheduled) {
                engine.schedule(this::confirm, DELAY);
                scheduled = true;
            }
        } finally {
            mutex.unlock();
        }
    }

    private void confirm() {
        Moment now = engine.now();
        List<DueRenewal> due = new ArrayList<>();
        for (Unconfirmed each : ready(now.nanos())) {
            each.queue.confirm(each.held, now, due);
        }
        renewals.renew(due);
    }

    /** Removes those whose time has come, and sets the timer for the others. */
    private List<Unconfirmed> ready(long now) {
        List<Unconfirmed> ready = new ArrayList<>();
        mutex.lock();
        try {
            scheduled = false;
            Unconfirmed head = unconfirmed.peek();
            while (head != null && head.at - now <= EARLY) {
                ready.add(unconfirmed.remove());
                head = unconfirmed.peek();
            }
            if (head != null) {
                engine.schedule(this::confirm, head.at - now);
                scheduled = true;
            }
        } finally {
            mutex.unlock();
        }
        return ready;
    }
}
