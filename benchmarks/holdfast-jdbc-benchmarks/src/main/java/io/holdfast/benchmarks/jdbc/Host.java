package io.holdfast.benchmarks.jdbc;

/** A place for locks, which is started for a run of the benchmark. Used by one thread at a time. */
interface Host extends AutoCloseable {

    /** What contestants connect to. */
    String address();

    /** Ends all that is connected, and makes everything anew. */
    void clear();

    /** The number that was counted up under locks. */
    long data();

    @Override
    void close();
}
