package io.holdfast.lab;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeoutException;

/**
 * A lock by {@code INCR}, as it was found in production. It is here to be seen failing:
 *
 * <ul>
 *   <li>The key gets its expiry by a second command. A crash between the two leaves a lock that never expires.
 *   <li>Any client that deletes the key releases the lock, also if another client holds it.
 *   <li>The backoff doubles, so a waiter sleeps most of the time, also while the lock is free.
 *   <li>An interrupt is swallowed.
 * </ul>
 */
final class IncrLock {

    private static final long FIRST_PAUSE_MILLIS = 50;

    private final RedisCommands<String, String> redis;

    IncrLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    void acquire(String key, Duration expiry, Duration maxWait) throws TimeoutException {
        long count = redis.incr(key);
        if (count > 1) {
            try {
                long waitMillis = maxWait.toMillis();
                long elapsed = 0;
                long pause = FIRST_PAUSE_MILLIS;
                while (elapsed < waitMillis) {
                    Thread.sleep(pause);
                    elapsed += pause;
                    pause = Math.min(pause * 2, waitMillis - elapsed + 1);
                    count = redis.incr(key);
                    if (count == 1) {
                        break;
                    }
                }
            } catch (InterruptedException ignored) {
                // As it was found.
            }
            if (count > 1) {
                throw new TimeoutException("Timed out waiting for " + key + " within " + maxWait);
            }
        }
        redis.pexpire(key, expiry);
    }

    void release(String key) {
        redis.del(key);
    }
}
