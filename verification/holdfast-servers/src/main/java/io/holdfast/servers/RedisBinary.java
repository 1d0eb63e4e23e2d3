package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import redis.embedded.RedisExecProvider;

/** Redis 7.0, unpacked at first use, once per JVM. It is statically linked and needs nothing of the system. */
final class RedisBinary {

    /** The idiom of a holder class: loaded, and so unpacked, when first asked for. */
    private static final Path UNPACKED = unpack();

    private RedisBinary() {}

    static Path path() {
        return UNPACKED;
    }

    private static Path unpack() {
        try {
            return RedisExecProvider.defaultProvider().get().toPath();
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }
}
