package io.holdfast.benchmarks;

/** What a gate guards. It notices when it is not guarded. */
interface Thing {

    /** Done by one thread at a time, or by as many as have a permit. */
    long change();

    /** Done by any number of threads at a time, but not while another changes it. */
    long look();

    /**
     * Call it when all threads have ended.
     *
     * @param changes how many changes were made
     * @throws IllegalStateException if threads were there together that should not have been
     */
    void check(long changes);
}
