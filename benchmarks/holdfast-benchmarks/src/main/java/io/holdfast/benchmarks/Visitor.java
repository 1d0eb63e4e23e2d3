package io.holdfast.benchmarks;

import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One thread of a crowd, and what it remembers. Its counts may be read when it has left. */
final class Visitor implements Runnable {

    private final Crowd crowd;
    private final Gate gate;
    private final LongUnaryOperator body = this::inside;
    private final WaitTimes waits = new WaitTimes();
    private long asked;
    private long changes;
    private long counted;
    private long allocated;
    private @Nullable RuntimeException failure;

    Visitor(Crowd crowd, Gate gate) {
        this.crowd = crowd;
        this.gate = gate;
    }

    @Override
    public void run() {
        try {
            crowd.gather();
            long before = Allocation.ofThisThread();
            while (crowd.goesOn()) {
                asked = System.nanoTime();
                gate.pass(body);
            }
            allocated = Allocation.ofThisThread() - before;
        } catch (RuntimeException thrown) {
            failure = thrown;
        } finally {
            crowd.leave();
        }
    }

    private long inside(long token) {
        if (crowd.counts()) {
            waits.record(System.nanoTime() - asked);
            counted++;
        }
        changes++;
        return token + crowd.counter().change();
    }

    WaitTimes waits() {
        return waits;
    }

    /** All passes. */
    long changes() {
        return changes;
    }

    /** The passes that were counted. */
    long counted() {
        return counted;
    }

    long allocated() {
        return allocated;
    }

    @Nullable
    RuntimeException failure() {
        return failure;
    }
}
