package io.holdfast.benchmarks.kit;

import org.jspecify.annotations.Nullable;

/** One thread of a crowd, and what it remembers. What it says of itself is exact when it has left. */
final class Walker implements Runnable {

    private final Crowd crowd;
    private final Guard guard;
    private final Runnable work;
    private final WaitTimes waits = new WaitTimes();
    private volatile long passes;
    private volatile long counted;
    private volatile @Nullable Exception failure;

    Walker(Crowd crowd, Guard guard, Runnable work) {
        this.crowd = crowd;
        this.guard = guard;
        this.work = work;
    }

    @Override
    public void run() {
        try {
            crowd.gather();
            while (crowd.goesOn()) {
                pass();
            }
        } catch (InterruptedException | RuntimeException thrown) {
            failure = thrown;
        } finally {
            crowd.leave();
        }
    }

    // Only this thread writes the counters.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    private void pass() {
        long asked = System.nanoTime();
        guard.acquire();
        if (crowd.counts()) {
            waits.record(System.nanoTime() - asked);
            counted++;
        }
        work.run();
        passes++;
        guard.release();
    }

    WaitTimes waits() {
        return waits;
    }

    /** All that were ever made. */
    long passes() {
        return passes;
    }

    /** Those within the window. */
    long counted() {
        return counted;
    }

    @Nullable
    Exception failure() {
        return failure;
    }
}
