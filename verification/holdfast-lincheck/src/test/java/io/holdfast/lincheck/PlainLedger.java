package io.holdfast.lincheck;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a store does with one name, told as plainly as possible: for one thread, with one unit, one token at a time. */
public final class PlainLedger {

    private static final int NOBODY = -1;

    private final SharedTime time = new SharedTime();
    private final Deque<Integer> queue = new ArrayDeque<>();
    private int holder = NOBODY;
    private long endsAt;
    private long token;

    public void acquire(int id) {
        turnOver();
        if (id != holder && !queue.contains(id)) {
            queue.add(id);
        }
        turnOver();
    }

    public String tryAcquire(int id) {
        turnOver();
        if (holder == NOBODY) {
            grant(id);
        }
        return id == holder ? "token " + token : "taken";
    }

    public boolean release(int id) {
        turnOver();
        queue.remove(id);
        boolean held = id == holder;
        if (held) {
            holder = NOBODY;
        }
        turnOver();
        return held;
    }

    public boolean renew(int id) {
        turnOver();
        if (id == holder) {
            endsAt = time.nanos() + MemoryStoreCheck.LEASE.toNanos();
        }
        return id == holder;
    }

    public String inspect() {
        turnOver();
        return holder == NOBODY ? "free" : "token " + token + ", " + queue.size() + " waiting";
    }

    public void expire() {
        time.pass(MemoryStoreCheck.LEASE);
        turnOver();
    }

    private void turnOver() {
        if (holder != NOBODY && endsAt - time.nanos() <= 0) {
            holder = NOBODY;
        }
        if (holder == NOBODY && !queue.isEmpty()) {
            grant(queue.remove());
        }
    }

    private void grant(int id) {
        holder = id;
        endsAt = time.nanos() + MemoryStoreCheck.LEASE.toNanos();
        token = Math.max(token + 1, time.wallMicros());
    }
}
