package io.holdfast.benchmarks.kit;

/** A contestant that could not be measured. The table says so, and the others are measured all the same. */
public final class FailedRun extends Exception {

    private static final long serialVersionUID = 1;

    public FailedRun(String reason) {
        super(reason);
    }

    public String reason() {
        return String.valueOf(getMessage());
    }
}
