package io.holdfast.internal;

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
final class Confirmations {

    /*
     * Such a lease is lost if the store stalls before it is confirmed, for what is left of the short grant; afterwards it
     * survives a stall as any other lease does. A critical section that is shorter needs no confirmation.
     *
     * All wait equally long, so a queue is in order of time and one timer is enough, whatever the rate of hand-offs is. The
     * renewal scheduler would have to scan every lease of the process for each of them.
     */
    private static final long DELAY = TimeUnit.MILLISECONDS.toNanos(10);

    /** Those that are due soon go along, in one batch. */
    private static final long EARLY = DELAY / 2;

    private final Engine engine;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Queue<Unconfirmed> queue = new ArrayDeque<>();
    /** Not if the scheduler has refused it: then the next one sets the timer. */
    private boolean scheduled;

    private record Unconfirmed(Line line, Tenure tenure, long at) {}

    Confirmations(Engine engine) {
        this.engine = engine;
    }

    /** Confirms it in time. */
    void add(Line line, Tenure tenure) {
        Unconfirmed fresh = new Unconfirmed(line, tenure, engine.nanos() + DELAY);
        mutex.lock();
        try {
            queue.add(fresh);
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
        List<Keeper.Due> due = new ArrayList<>();
        for (Unconfirmed each : ready(now.nanos())) {
            each.line.confirm(each.tenure, now, due);
        }
        engine.keeper().renew(due);
    }

    /** Removes those whose time has come, and sets the timer for the others. */
    private List<Unconfirmed> ready(long now) {
        List<Unconfirmed> ready = new ArrayList<>();
        mutex.lock();
        try {
            scheduled = false;
            Unconfirmed head = queue.peek();
            while (head != null && head.at - now <= EARLY) {
                ready.add(queue.remove());
                head = queue.peek();
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
