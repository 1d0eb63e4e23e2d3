package io.holdfast.benchmarks;

/** What a contestant brings: gates by name. Thread-safe. */
interface Gates extends AutoCloseable {

    /** The gate of that name, made anew. */
    Gate gate(String name);

    @Override
    default void close() {}
}
