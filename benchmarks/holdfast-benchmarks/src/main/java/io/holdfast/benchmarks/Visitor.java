package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.WaitTimes;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One thread of a crowd, and what it remembers. Its counts may be read when it has left. */
final class Visitor implements Runnable {

    private final Crowd crowd;
    private final Gate changing;
    private final Gate looking;
    private final LongUnaryOperator change = this::change;
    private final LongUnaryOperator look = this::look;
    private final SplittableRandom random;
    private final WaitTimes waits = new WaitTimes();
    private long asked;
    private long changes;
    private long looks;
    private long counted;
    private long allocated;
    private @Nullable RuntimeException failure;

    Visitor(Crowd crowd, Gates gates, String name, int seed) {
        this.crowd = crowd;
        this.changing = gates.gate(name);
        this.looking = gates.lookingGate(name);
        this.random = new SplittableRandom(seed);
    }

    @Override
    public void run() {
        try {
            crowd.gather();
            long before = Allocation.ofThisThread();
            while (crowd.goesOn()) {
                boolean onlyLooks = random.nextInt(100) < crowd.looksOfHundred();
                asked = System.nanoTime();
                if (onlyLooks) {
                    looking.pass(look);
                } else {
                    changing.pass(change);
                }
            }
            allocated = Allocation.ofThisThread() - before;
        } catch (RuntimeException thrown) {
            failure = thrown;
        } finally {
            crowd.leave();
        }
    }

    private long change(long token) {
        count();
        changes++;
        return token + crowd.thing().change();
    }

    private long look(long token) {
        count();
        looks++;
        return token + crowd.thing().look();
    }

    private void count() {
        if (crowd.counts()) {
            waits.record(System.nanoTime() - asked);
            counted++;
        }
    }

    WaitTimes waits() {
        return waits;
    }

    long changes() {
        return changes;
    }

    /** All changes and looks. */
    long passes() {
        return changes + looks;
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
