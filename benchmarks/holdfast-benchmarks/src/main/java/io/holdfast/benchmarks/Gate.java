package io.holdfast.benchmarks;

import java.util.function.LongUnaryOperator;

/** The way in to one guarded thing. Thread-safe. */
interface Gate {

    /** Waits for its turn, applies {@code body} to the fencing token (0 where there is none), and gives the turn back. */
    long pass(LongUnaryOperator body);
}
