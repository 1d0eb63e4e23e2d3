package io.holdfast.lab;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/**
 * A lock by {@code SET NX PX} with a unique value, polled every 100 ms: the replacement of the {@link IncrLock}. A client
 * releases only its own lock; but:
 *
 * <ul>
 *   <li>A waiter acquires the lock only if it polls while the lock is free. There is no order: a client that has just
 *       released often acquires again before the waiters, which may starve.
 *   <li>Every waiter sends ten commands a second, whether or not anything has changed.
 *   <li>An interrupt is swallowed.
 * </ul>
 */
final class SpinLock {

    private static final long PAUSE_MILLIS = 100;

    private static final String RELEASE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private final RedisCommands<String, String> redis;

    SpinLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    /** The value that {@link #release} needs. */
    String acquire(String key, Duration expiry, Duration maxWait) throws TimeoutException {
        String value = UUID.randomUUID().toString();
        SetArgs ifAbsent = SetArgs.Builder.nx().px(expiry);
        if (redis.set(key, value, ifAbsent) != null) {
            return value;
        }
        try {
            long elapsed = 0;
            while (elapsed < maxWait.toMillis()) {
                Thread.sleep(PAUSE_MILLIS);
                elapsed += PAUSE_MILLIS;
                if (redis.set(key, value, ifAbsent) != null) {
                    return value;
                }
            }
        } catch (InterruptedException ignored) {
            // As it was found.
        }
        throw new TimeoutException("Timed out waiting for " + key + " within " + maxWait);
    }

    void release(String key, String value) {
        redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, value);
    }
}
