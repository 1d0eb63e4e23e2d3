package io.holdfast.redis;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts who comes, gives the key an end afterwards, backs off by doubling, and releases by deleting; from the articles. */
final class NaiveIncrLock {

    private final RedisCommands<String, String> redis;

    NaiveIncrLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    boolean acquire(String key, Duration lease, Duration maxWait, Duration firstSleep) throws InterruptedException {
        long count = redis.incr(key);
        long elapsed = 0;
        long sleep = firstSleep.toMillis();
        while (count > 1 && elapsed < maxWait.toMillis()) {
            TimeUnit.MILLISECONDS.sleep(sleep);
            elapsed += sleep;
            sleep = Math.min(sleep * 2, maxWait.toMillis() - elapsed + 1);
            count = redis.incr(key);
        }
        if (count > 1) {
            return false;
        }
        redis.pexpire(key, lease.toMillis());
        return true;
    }

    boolean tryAcquire(String key, Duration lease) throws InterruptedException {
        return acquire(key, lease, Duration.ZERO, Duration.ZERO);
    }

    void release(String key) {
        redis.del(key);
    }
}
