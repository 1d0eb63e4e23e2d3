package io.holdfast.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Goes through the keys, a thousand at a time, so that nobody else has to wait. */
final class Scans {

    private static final int AT_ONCE = 1_000;

    private Scans() {}

    /** The keys that match; some may come twice. */
    static CompletableFuture<List<String>> keys(RedisClusterAsyncCommands<String, String> commands, String pattern) {
        ScanArgs args = ScanArgs.Builder.matches(pattern).limit(AT_ONCE);
        return next(commands, args, commands.scan(args), new ArrayList<>());
    }

    private static CompletableFuture<List<String>> next(
            RedisClusterAsyncCommands<String, String> commands,
            ScanArgs args,
            RedisFuture<KeyScanCursor<String>> step,
            List<String> found) {
        return step.toCompletableFuture().thenCompose(cursor -> {
            found.addAll(cursor.getKeys());
            return cursor.isFinished()
                    ? CompletableFuture.completedFuture(found)
                    : next(commands, args, commands.scan(cursor, args), found);
        });
    }
}
