package io.holdfast.redis;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/** Belongs to the thread that has acquired it, as in many libraries. */
final class NaiveThreadLock {

    private final RedisCommands<String, String> redis;

    NaiveThreadLock(RedisCommands<String, String> redis) {
        this.redis = redis;
    }

    boolean tryLock(String key) {
        return "OK".equals(redis.set(key, owner(), SetArgs.Builder.nx().px(60_000)));
    }

    void unlock(String key) {
        if (!owner().equals(redis.get(key))) {
            throw new IllegalMonitorStateException("not locked by " + owner());
        }
        redis.del(key);
    }

    private static String owner() {
        return "thread-" + Thread.currentThread().getId();
    }
}
