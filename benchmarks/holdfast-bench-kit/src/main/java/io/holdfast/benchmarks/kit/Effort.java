package io.holdfast.benchmarks.kit;

import java.time.Duration;
import java.util.List;

/** How long things are measured. */
public enum Effort {
    /** For the page. */
    FULL(5, Duration.ofSeconds(10), Duration.ofSeconds(2), 5_000, Duration.ofSeconds(20), 4),
    /** For a look while working. */
    QUICK(1, Duration.ofSeconds(5), Duration.ofSeconds(1), 500, Duration.ofSeconds(3), 4),
    /** Whether it works at all. */
    TINY(1, Duration.ofMillis(100), Duration.ofMillis(200), 20, Duration.ofSeconds(2), 2);

    private final int rounds;
    private final Duration warmUp;
    private final Duration window;
    private final int handOffs;
    private final Duration handOffLimit;
    private final int jvms;

    Effort(int rounds, Duration warmUp, Duration window, int handOffs, Duration handOffLimit, int jvms) {
        this.rounds = rounds;
        this.warmUp = warmUp;
        this.window = window;
        this.handOffs = handOffs;
        this.handOffLimit = handOffLimit;
        this.jvms = jvms;
    }

    /** How often, unless somebody says otherwise. */
    public int rounds() {
        return rounds;
    }

    /** What comes before a window; when it is short, the compiler is at work in the window, too. */
    public Duration warmUp() {
        return warmUp;
    }

    /** How long passes are counted. */
    public Duration window() {
        return window;
    }

    /** How many are made in a round, of which the first half is warm-up. */
    public int handOffs() {
        return handOffs;
    }

    /** After which there are no more hand-offs. */
    public Duration handOffLimit() {
        return handOffLimit;
    }

    /** How many JVMs want the same lock. */
    public int jvms() {
        return jvms;
    }

    /** What all JVMs are started with. */
    List<String> jvmArgs() {
        return this == TINY ? List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1") : List.of("-Xmx512m");
    }

    /** The command that lets a JVM run only while nobody else wants the processor. */
    List<String> modestly() {
        return this == TINY ? List.of() : List.of("chrt", "--idle", "0");
    }
}
