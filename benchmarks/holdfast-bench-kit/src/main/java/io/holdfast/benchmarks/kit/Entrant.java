package io.holdfast.benchmarks.kit;

import java.io.Serializable;

/** Somebody who is measured. */
public interface Entrant extends Serializable {

    /** As the tables show it. */
    String label();

    /** Whether it is measured with the jars of the {@link EarlierBuild}. */
    default boolean isEarlier() {
        return false;
    }

    /** Connects to the server at that address. */
    Locks open(String address);

    /** What it should reach. */
    default Goal should(Column column, Goal.Bound bound, double limit) {
        return new Goal(label(), column, bound, limit);
    }
}
