package io.holdfast.benchmarks;

/** What can be measured about a contestant. */
enum Metric {
    PAIR_TIME("ns per pair", Better.SMALLER),
    PAIR_BYTES("B per pair", Better.SMALLER),
    RATE("leases/s", Better.LARGER),
    VARIATION("cov", Better.SMALLER),
    WAIT_MEDIAN("wait p50, µs", Better.SMALLER),
    WAIT_P99("wait p99, µs", Better.SMALLER),
    UNSERVED("unserved", Better.SMALLER);

    private enum Better {
        SMALLER,
        LARGER
    }

    private final String heading;
    private final Better better;

    Metric(String heading, Better better) {
        this.heading = heading;
        this.better = better;
    }

    /** As the tables show it. */
    String heading() {
        return heading;
    }

    /** How many times better {@code value} is than {@code reference}. */
    double ratio(double value, double reference) {
        return better == Better.LARGER ? value / reference : reference / value;
    }
}
