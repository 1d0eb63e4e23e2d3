package io.holdfast.redis.internal.claim;

import io.holdfast.spi.support.Failures;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Finds the keys of names in use by {@code SCAN}, about a thousand keys at a time, so that other requests are not delayed. */
final class KeyScan {

    private static final int KEYS_PER_STEP = 1_000;
    /** Only names with a holder or a waiter have this field; see {@code state.lua}. */
    private static final String FIELD_OF_NAMES_IN_USE = "capacity";

    private KeyScan() {}

    /** The next keys that match, from the beginning without a cursor; in a Cluster, one server after the other. */
    static CompletableFuture<KeyScanCursor<String>> next(
            RedisClusterAsyncCommands<String, String> commands,
            String pattern,
            @Nullable KeyScanCursor<String> cursor) {
        ScanArgs args = ScanArgs.Builder.matches(pattern).limit(KEYS_PER_STEP);
        return (cursor == null ? commands.scan(args) : commands.scan(cursor, args)).toCompletableFuture();
    }

    /** Those of the keys that are in use; by one plain command each, pipelined, because in a Cluster each has its own slot. */
    static CompletableFuture<List<String>> inUse(
            RedisClusterAsyncCommands<String, String> commands, List<String> keys) {
        List<CompletableFuture<Boolean>> checks = keys.stream()
                .map(key -> commands.hexists(key, FIELD_OF_NAMES_IN_USE)
                        .toCompletableFuture()
                        .exceptionallyCompose(KeyScan::falseIfNoHash))
                .toList();
        return CompletableFuture.allOf(checks.toArray(CompletableFuture[]::new))
                .thenApply(done -> IntStream.range(0, keys.size())
                        .filter(i -> checks.get(i).join())
                        .mapToObj(keys::get)
                        .toList());
    }

    private static CompletableFuture<Boolean> falseIfNoHash(Throwable failure) {
        Throwable cause = Failures.unwrap(failure);
        return cause instanceof RedisCommandExecutionException
                        && String.valueOf(cause.getMessage()).startsWith("WRONGTYPE")
                ? CompletableFuture.completedFuture(false)
                : CompletableFuture.failedFuture(cause);
    }
}
