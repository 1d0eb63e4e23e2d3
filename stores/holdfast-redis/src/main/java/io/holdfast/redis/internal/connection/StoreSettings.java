package io.holdfast.redis.internal.connection;

import java.time.Duration;

/**
 * The settings of a Redis store.
 *
 * @param keyPrefix the prefix of keys and channels
 * @param retention how long a key is kept after its last use
 * @param timeout of a request
 * @param replicas how many replicas must confirm a grant or a renewal before it counts
 * @param replicaTimeout how long they may take
 */
public record StoreSettings(
        String keyPrefix, Duration retention, Duration timeout, int replicas, Duration replicaTimeout) {

    /** Longer than a queued claim is alive without polling, and than tombstones are kept. */
    private static final Duration SHORTEST_RETENTION = Duration.ofMinutes(10);

    private static final Duration LONGEST_RETENTION = Duration.ofDays(30);
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(50);
    private static final Duration LONGEST_TIMEOUT = Duration.ofSeconds(30);
    private static final int LONGEST_PREFIX = 100;
    private static final int MOST_REPLICAS = 20;

    /** Declared after the bounds, which its constructor uses. */
    public static final StoreSettings DEFAULTS =
            new StoreSettings("holdfast", Duration.ofHours(1), Duration.ofSeconds(2), 0, Duration.ofMillis(500));

    public StoreSettings {
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

    public StoreSettings withKeyPrefix(String prefix) {
        return new StoreSettings(prefix, retention, timeout, replicas, replicaTimeout);
    }

    public StoreSettings withRetention(Duration time) {
        return new StoreSettings(keyPrefix, time, timeout, replicas, replicaTimeout);
    }

    public StoreSettings withTimeout(Duration time) {
        return new StoreSettings(keyPrefix, retention, time, replicas, replicaTimeout);
    }

    public StoreSettings withReplicas(int count, Duration within) {
        return new StoreSettings(keyPrefix, retention, timeout, count, within);
    }

    private static void between(String setting, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(setting + " must be between " + least + " and " + most + ": " + value);
        }
    }
}
