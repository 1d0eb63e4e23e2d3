package io.holdfast.redis;

import io.lettuce.core.api.sync.RedisCommands;

/** Looks whether the key is there, and sets it if not; from the articles. */
final class NaiveGetSetLock {

    private final RedisCommands<String, String> redis;
    private final Runnable between;

    /** {@code between} is what happens elsewhere between the check and the set. */
    NaiveGetSetLock(RedisCommands<String, String> redis, Runnable between) {
        this.redis = redis;
        this.between = between;
    }

    boolean tryAcquire(String key, String owner) {
        boolean free = redis.get(key) == null;
        between.run();
        if (free) {
            redis.psetex(key, 10_000, owner);
        }
        return free;
    }
}
