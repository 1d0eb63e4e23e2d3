package io.holdfast.benchmarks.redis;

/** A contestant that could not be measured. The table says so, and the others are measured all the same. */
final class FailedRun extends Exception {

    private static final long serialVersionUID = 1;

    FailedRun(String reason) {
        super(reason);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
