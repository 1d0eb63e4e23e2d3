package io.holdfast.benchmarks.redis;

/** What tables show. */
enum Column {
    RATE("passes/s"),
    TIMES_FLOOR("× floor"),
    TIMES_REDISSON("× Redisson"),
    TIMES_FAIR("× Redisson, fair"),
    TIMES_ALONE("× one thread alone"),
    SENT("commands per pass"),
    CPU("client CPU per pass, µs"),
    CPU_OF_REDISSON("CPU ÷ Redisson's"),
    VARIATION("cov"),
    WAIT_MEDIAN("wait p50, ms"),
    WAIT_P99("wait p99, ms"),
    LEAST_SHARE("least share of a JVM, %"),
    LOST_UPDATES("lost updates"),
    STUCK("stuck threads"),
    PINNED("pinned"),
    HAND_OFFS("hand-offs"),
    HAND_OFF_MEDIAN("p50, ms"),
    HAND_OFF_P99("p99, ms"),
    MEDIAN_OF_REDISSON("p50 ÷ Redisson's"),
    P99_OF_REDISSON("p99 ÷ Redisson's"),
    RENEWALS_SENT("commands/s"),
    SHARE_OF_SINGLE("of one per lock and renewal"),
    HEAP("heap per lock, B"),
    LOST("lost"),
    CHURNED("pairs before"),
    TAKEN("taken after churn"),
    CALLS("server calls/s after churn"),
    LOST_AFTER_CHURN("lost after churn"),
    SCRIPTS("scripts"),
    SCRIPT_MEAN("mean, µs"),
    SCRIPT_LONGEST("longest, ms"),
    SCRIPT_TOO_LONG("above 5 ms"),
    STEP_LONGEST("longest two steps on the processor, ms"),
    SERVER_WAITING("server waited for a processor, ms"),
    SERVED("served");

    private final String heading;

    Column(String heading) {
        this.heading = heading;
    }

    String heading() {
        return heading;
    }
}
