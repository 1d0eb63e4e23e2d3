package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;

/** What only these tables show. */
final class RedisColumn {

    static final Column TIMES_FLOOR = new Column("× floor");
    static final Column TIMES_REDISSON = new Column("× Redisson");
    static final Column TIMES_FAIR = new Column("× Redisson, fair");
    static final Column SENT = new Column("commands per lease");
    static final Column CPU_OF_REDISSON = new Column("CPU ÷ Redisson's");
    static final Column PINNED = new Column("pinned");
    static final Column MEDIAN_OF_REDISSON = new Column("p50 ÷ Redisson's");
    static final Column P99_OF_REDISSON = new Column("p99 ÷ Redisson's");
    static final Column RENEWALS_SENT = new Column("commands/s");
    static final Column SHARE_OF_SINGLE = new Column("of one per lock and renewal");
    static final Column HEAP = new Column("heap per lock, B");
    static final Column LOST = new Column("lost");
    static final Column CHURNED = new Column("pairs before");
    static final Column TAKEN = new Column("taken after churn");
    static final Column CALLS = new Column("server calls/s after churn");
    static final Column LOST_AFTER_CHURN = new Column("lost after churn");
    static final Column SCRIPTS = new Column("scripts");
    static final Column SCRIPT_MEAN = new Column("mean, µs");
    static final Column SCRIPT_LONGEST = new Column("longest, ms");
    static final Column SCRIPT_TOO_LONG = new Column("above 5 ms");
    static final Column STEP_LONGEST = new Column("longest two steps on the processor, ms");
    static final Column SERVER_WAITING = new Column("server waited for a processor, ms");
    static final Column SERVED = new Column("served");

    private RedisColumn() {}
}
