package io.holdfast.benchmarks.redis;

/** What is done under the lock. */
enum Inside {
    NOTHING,
    /** Reads a number from the server and writes the next one, over a plain connection. Loses updates if two do it at once. */
    GET_AND_SET;

    /** The key of the number. */
    static final String DATA = "data";
}
