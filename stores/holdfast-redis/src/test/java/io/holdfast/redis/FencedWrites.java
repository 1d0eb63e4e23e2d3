package io.holdfast.redis;

import org.jspecify.annotations.Nullable;

/** The fenced commands that several tests use. */
final class FencedWrites {

    private FencedWrites() {}

    static FencedCommand<@Nullable Void> set(String key, String value) {
        return FencedCommand.of("SET").keys(key).args(value);
    }

    static FencedCommand<Long> hset(String key, String field, String value) {
        return FencedCommand.of("HSET").keys(key).args(field, value).returningLong();
    }

    static FencedCommand<Boolean> del(String key) {
        return FencedCommand.of("DEL").keys(key).returningBoolean();
    }
}
