package io.holdfast.benchmarks.kit;

/** What tables show. Columns with the same heading are the same. */
public record Column(String heading) {

    public static final Column RATE = new Column("leases/s");
    public static final Column TIMES_ALONE = new Column("× one thread alone");
    public static final Column CPU = new Column("client CPU per lease, µs");
    public static final Column VARIATION = new Column("cov");
    public static final Column WAIT_MEDIAN = new Column("wait p50, ms");
    public static final Column WAIT_P99 = new Column("wait p99, ms");
    public static final Column LEAST_SHARE = new Column("least share of a JVM, %");
    public static final Column LOST_UPDATES = new Column("lost updates");
    public static final Column STUCK = new Column("stuck threads");
    public static final Column HAND_OFF_MEDIAN = new Column("p50, ms");
    public static final Column HAND_OFF_P99 = new Column("p99, ms");
    public static final Column HAND_OFFS = new Column("hand-offs");
}
