package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Locks;
import java.time.Duration;

/**
 * How long and how many things are held.
 *
 * @param held how many locks are held at once
 * @param churn how long a lock is taken and given back before others are held
 * @param fresh how long they are held by a fresh client
 * @param afterChurn how long they are held by one that has done some work
 */
record HeldEffort(int held, Duration churn, Duration fresh, Duration afterChurn) {

    static HeldEffort of(Effort effort) {
        return switch (effort) {
            case FULL ->
                new HeldEffort(
                        10_000,
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(2 * Locks.LEASE_MILLIS));
            case QUICK ->
                new HeldEffort(
                        10_000,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(4),
                        Duration.ofMillis(Locks.LEASE_MILLIS + 1_000));
            case TINY -> new HeldEffort(100, Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofMillis(300));
        };
    }
}
