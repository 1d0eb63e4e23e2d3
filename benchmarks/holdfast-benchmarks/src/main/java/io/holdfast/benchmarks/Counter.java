package io.holdfast.benchmarks;

/** What a gate guards: a plain number, which loses updates if two threads change it at once. */
final class Counter {

    private long value;

    long change() {
        return ++value;
    }

    /** The value; call it when all who changed it have ended. */
    long value() {
        return value;
    }
}
