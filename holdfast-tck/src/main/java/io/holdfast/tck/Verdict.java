package io.holdfast.tck;

import java.util.List;

/**
 * What {@link Linearizability} says of a history.
 *
 * @param kind the judgement; for several names the worst of them
 * @param explanation why, in sentences for people; empty if nothing is wrong
 */
public record Verdict(Kind kind, List<String> explanation) {

    /** From good to bad. */
    public enum Kind {
        /** There is an order of the calls that explains every answer. */
        LINEARIZABLE,
        /**
         * There is one only if a lease ended by itself while its holder may still have believed in it. A lock with leases
         * cannot rule that out; it is what fences are for.
         */
        OVERRUN,
        /** There is none at all: the lock is broken. */
        VIOLATION
    }

    public Verdict {
        explanation = List.copyOf(explanation);
    }

    /** What is wrong with the lock, as {@link TokenSweep} would say it: nothing, if a lease was merely overrun. */
    public List<String> violations() {
        return kind == Kind.VIOLATION ? explanation : List.of();
    }
}
