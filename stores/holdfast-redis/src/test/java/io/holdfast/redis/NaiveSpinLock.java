package io.holdfast.redis;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** {@code SET NX PX} every 100 ms until it works; from the articles. */
final class NaiveSpinLock {

    private static final long SPIN_MILLIS = 100;

    private final RedisCommands<String, String> redis;

    NaiveSpinLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    boolean tryAcquire(String key, String owner, Duration lease) {
        return "OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(lease.toMillis())));
    }

    boolean acquire(String key, String owner, Duration lease, Duration maxWait) throws InterruptedException {
        for (long elapsed = 0; elapsed < maxWait.toMillis(); elapsed += SPIN_MILLIS) {
            if (tryAcquire(key, owner, lease)) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(SPIN_MILLIS);
        }
        return false;
    }

    void release(String key, String owner) {
        if (owner.equals(redis.get(key))) {
            redis.del(key);
        }
    }
}
