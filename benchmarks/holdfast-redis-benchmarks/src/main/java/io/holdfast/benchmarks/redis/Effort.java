package io.holdfast.benchmarks.redis;

import java.time.Duration;
import java.util.List;

/**
 * How long things are measured.
 *
 * @param rounds how often, unless somebody says otherwise
 * @param warmUp what comes before a window; when it is short, the compiler is at work in the window, too
 * @param window how long passes are counted
 * @param handOffs how many are made in a round, of which the first half is warm-up
 * @param handOffLimit after which there are no more
 * @param held how many locks are held at once
 * @param churn how long a lock is taken and given back before others are held
 * @param hold how long they are held by a fresh client
 * @param holdAfterChurn how long they are held by one that has done some work
 * @param waiters how many wait for one lock at once
 * @param jvms how many JVMs want the same lock
 * @param modestly the command that lets a JVM run only while nobody else wants the processor
 * @param jvmArgs what all JVMs are started with
 */
record Effort(
        int rounds,
        Duration warmUp,
        Duration window,
        int handOffs,
        Duration handOffLimit,
        int held,
        Duration churn,
        Duration hold,
        Duration holdAfterChurn,
        int waiters,
        int jvms,
        List<String> modestly,
        List<String> jvmArgs) {

    /** For the page. */
    static final Effort FULL = new Effort(
            5,
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            5_000,
            Duration.ofSeconds(20),
            10_000,
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofMillis(2 * Locks.LEASE_MILLIS),
            10_000,
            4,
            List.of("chrt", "--idle", "0"),
            List.of("-Xmx512m"));

    /** For a look while working. */
    static final Effort QUICK = new Effort(
            1,
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            500,
            Duration.ofSeconds(3),
            10_000,
            Duration.ofSeconds(2),
            Duration.ofSeconds(4),
            Duration.ofMillis(Locks.LEASE_MILLIS + 1_000),
            10_000,
            4,
            List.of("chrt", "--idle", "0"),
            List.of("-Xmx512m"));

    /** Whether it works at all. */
    static final Effort TINY = new Effort(
            1,
            Duration.ofMillis(100),
            Duration.ofMillis(200),
            20,
            Duration.ofSeconds(2),
            100,
            Duration.ofMillis(100),
            Duration.ofMillis(300),
            Duration.ofMillis(300),
            100,
            2,
            List.of(),
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
}
