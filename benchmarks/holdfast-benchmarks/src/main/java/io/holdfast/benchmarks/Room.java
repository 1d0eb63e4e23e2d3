package io.holdfast.benchmarks;

import java.util.concurrent.atomic.AtomicInteger;

/** A room for so many threads at a time. */
final class Room implements Thing {

    private final int places;
    private final AtomicInteger inside = new AtomicInteger();
    private volatile boolean crowded;

    Room(int places) {
        this.places = places;
    }

    @Override
    public long change() {
        int now = inside.incrementAndGet();
        if (now > places) {
            crowded = true;
        }
        inside.decrementAndGet();
        return now;
    }

    @Override
    public long look() {
        return change();
    }

    @Override
    public void check(long changes) {
        if (crowded) {
            throw new IllegalStateException("more than " + places + " threads were inside at once");
        }
    }
}
