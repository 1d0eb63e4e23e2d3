package io.holdfast.redis;

import io.holdfast.StaleTokenException;
import io.lettuce.core.ScriptOutputType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Redis commands under one lease, from {@link RedisFence#of(io.holdfast.Lease)}: each is executed only if no later holder
 * of the lock has written, to whichever key. Check and command are one script. Arguments are in the order of Redis.
 *
 * <p>Every method throws {@link StaleTokenException} if a newer token has written under the lock, or if the token is older
 * than the fence's retention and there is no mark; nothing was executed then. Those that end in {@code Async} do not wait:
 * their stage fails with what the others throw. Those that wait do so up to the timeout of the connection.
 *
 * <p>Errors of Redis and Lettuce are thrown as Lettuce's own exceptions. Lettuce may send a command again after a
 * reconnect, unless its options say otherwise; a script that must not be executed twice has to ensure that itself. While
 * a slot of a Cluster moves, a command may fail with {@code TRYAGAIN}: nothing was executed, and it can be repeated.
 *
 * <p>Thread-safe.
 */
public final class FencedCommands {

    private final FenceCalls calls;

    FencedCommands(FenceCalls calls) {
        this.calls = calls;
    }

    /** {@code SET key value}, guarded. */
    public void set(String key, String value) {
        calls.await(calls.send(FenceScript.SET, List.of(key), value));
    }

    /** {@link #set} without waiting. */
    public CompletionStage<@Nullable Void> setAsync(String key, String value) {
        return calls.translated(calls.send(FenceScript.SET, List.of(key), value))
                .thenApply(done -> null);
    }

    /** {@code HSET key field value}, guarded. */
    public void hset(String key, String field, String value) {
        hset(key, Map.of(field, value));
    }

    /** {@link #hset(String, String, String)} without waiting. */
    public CompletionStage<@Nullable Void> hsetAsync(String key, String field, String value) {
        return hsetAsync(key, Map.of(field, value));
    }

    /** {@code HSET} of several fields, guarded, as one step. */
    public void hset(String key, Map<String, String> fields) {
        calls.await(calls.send(FenceScript.HSET, List.of(key), flat(fields)));
    }

    /** {@link #hset(String, Map)} without waiting. */
    public CompletionStage<@Nullable Void> hsetAsync(String key, Map<String, String> fields) {
        return calls.translated(calls.send(FenceScript.HSET, List.of(key), flat(fields)))
                .thenApply(done -> null);
    }

    /**
     * {@code DEL key}, guarded. The mark exists for its retention, so an older writer cannot create the key again.
     *
     * @return whether the key existed
     */
    public boolean del(String key) {
        return calls.<Boolean>await(calls.send(FenceScript.DEL, List.of(key)));
    }

    /** {@link #del} without waiting. */
    public CompletionStage<Boolean> delAsync(String key) {
        return calls.translated(calls.send(FenceScript.DEL, List.of(key)));
    }

    /**
     * Executes a Lua script of your own behind the guard, in one step with it, and returns what the script returns:
     * {@code KEYS} are {@code keys}, and {@code ARGV} are {@code arguments}. The script must access no other keys. If it
     * fails, what it has written so far stays, as with every script; the token counts as having written.
     *
     * <pre>{@code
     * Long left = commands.run("return redis.call('DECRBY', KEYS[1], ARGV[1])",
     *         ScriptOutputType.INTEGER, List.of(stock), "3");
     * }</pre>
     *
     * <p>A script that only reads counts as a write, too. So data that is read here first, and written later in the
     * critical section, is not changed by an older token in between.
     *
     * @param script Lua, without a {@code #!} line
     * @param output what the script returns, and with it the type that is returned here, as in Lettuce's own methods
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // as Lettuce does it: the output type decides
    public <T extends @Nullable Object> T run(
            String script, ScriptOutputType output, List<String> keys, String... arguments) {
        return calls.<T>await(calls.send(guarded(script, output, keys), keys, arguments));
    }

    /** {@link #run} without waiting. */
    public <T extends @Nullable Object> CompletionStage<T> runAsync(
            String script, ScriptOutputType output, List<String> keys, String... arguments) {
        return calls.translated(calls.send(guarded(script, output, keys), keys, arguments));
    }

    /**
     * Checks whether the token is stale, and does not count as a write: for readers, and before long work whose result
     * will be written later. When it returns, a newer token may have written already.
     */
    public void check() {
        calls.await(calls.send(FenceScript.CHECK_ONLY, List.of()));
    }

    /** {@link #check} without waiting. */
    public CompletionStage<@Nullable Void> checkAsync() {
        return calls.translated(calls.send(FenceScript.CHECK_ONLY, List.of())).thenApply(done -> null);
    }

    private static FenceScript guarded(String script, ScriptOutputType output, List<String> keys) {
        if (script.startsWith("#!")) {
            throw new IllegalArgumentException("script must not begin with #!, because the guard is put before it: "
                    + script.lines().findFirst().orElse(""));
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("keys must not be empty: list every key that the script accesses");
        }
        return FenceScript.of(script, output);
    }

    private static String[] flat(Map<String, String> fields) {
        if (fields.isEmpty()) {
            throw new IllegalArgumentException("fields must not be empty");
        }
        List<String> flat = new ArrayList<>(2 * fields.size());
        fields.forEach((field, value) -> Collections.addAll(flat, field, value));
        return flat.toArray(String[]::new);
    }
}
