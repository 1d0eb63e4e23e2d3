package io.holdfast.benchmarks;

/** What a contestant brings: gates by name. Thread-safe. */
interface Gates extends AutoCloseable {

    /** The gate of that name for those who change things, made anew. */
    Gate gate(String name);

    /** The gate of that name for those who only look, made anew. The same gate where all are treated alike. */
    default Gate lookingGate(String name) {
        return gate(name);
    }

    @Override
    default void close() {}
}
