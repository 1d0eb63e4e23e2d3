package io.holdfast.lab;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/**
 * A lock by {@code SET NX PX} with a value of one's own, and a look every 100 ms: what the {@link IncrLock} was replaced
 * by. Nobody frees what is not theirs; but:
 *
 * <ul>
 *   <li>A waiter sees the lock free only if it looks in the right moment, and whoever comes in that moment has it. The one
 *       who has just released comes first.
 *   <li>Every waiter sends ten commands a second, whether or not anything has changed.
 *   <li>An interruption is swallowed.
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
        throw new TimeoutException("No turn for " + key + " within " + maxWait);
    }

    void release(String key, String value) {
        redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, value);
    }
}
