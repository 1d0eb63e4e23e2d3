package io.holdfast.redis;

import java.time.Duration;

/**
 * How a store is used.
 *
 * @param keyPrefix what keys and channels begin with
 * @param retention how long a key stays after its last use
 * @param timeout how long to wait for an answer
 * @param replicas how many replicas must have a grant before it counts
 * @param replicaTimeout how long they may take
 */
record Settings(String keyPrefix, Duration retention, Duration timeout, int replicas, Duration replicaTimeout) {

    /** Longer than what waits in a queue is kept alive for, and than what was ended is remembered. */
    private static final Duration SHORTEST_RETENTION = Duration.ofMinutes(10);

    private static final Duration LONGEST_RETENTION = Duration.ofDays(30);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(50);
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(30);
    private static final int LONGEST_PREFIX = 100;
    private static final int MOST_REPLICAS = 20;

    /** After the bounds, which it is checked by. */
    static final Settings DEFAULTS =
            new Settings("holdfast", Duration.ofHours(1), Duration.ofSeconds(2), 0, Duration.ofMillis(500));

    Settings {
        if (keyPrefix.isEmpty()
                || keyPrefix.length() > LONGEST_PREFIX
                || keyPrefix.chars().anyMatch(c -> c <= ' ' || c == '{' || c == '}' || c >= 127)) {
            throw new IllegalArgumentException("keyPrefix must have 1 to " + LONGEST_PREFIX
                    + " ASCII characters, without space and braces: '" + keyPrefix + "'");
        }
        between("retention", retention, SHORTEST_RETENTION, LONGEST_RETENTION);
        between("timeout", timeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT);
        between("replica timeout", replicaTimeout, Duration.ofMillis(1), LONGEST_TIMEOUT);
        if (replicas < 0 || replicas > MOST_REPLICAS) {
            throw new IllegalArgumentException("replicas must be between 0 and " + MOST_REPLICAS + ": " + replicas);
        }
    }

    Settings withKeyPrefix(String prefix) {
        return new Settings(prefix, retention, timeout, replicas, replicaTimeout);
    }

    Settings withRetention(Duration time) {
        return new Settings(keyPrefix, time, timeout, replicas, replicaTimeout);
    }

    Settings withTimeout(Duration time) {
        return new Settings(keyPrefix, retention, time, replicas, replicaTimeout);
    }

    Settings withReplicas(int count, Duration within) {
        return new Settings(keyPrefix, retention, timeout, count, within);
    }

    private static void between(String setting, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(setting + " must be between " + least + " and " + most + ": " + value);
        }
    }
}
