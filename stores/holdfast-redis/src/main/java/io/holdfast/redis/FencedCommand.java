package io.holdfast.redis;

import io.holdfast.redis.internal.script.FenceScript;
import io.lettuce.core.ScriptOutputType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Redis command or a Lua script that {@link FencedWriter#run} executes if the fencing token is not stale.
 *
 * <pre>{@code
 * FencedCommand.of("SET").keys("stock:{apples}").args("7")
 * FencedCommand.of("DECRBY").keys("stock:{apples}").args("3").returningLong()
 * FencedCommand.script("return redis.call('GET', KEYS[1]) or ARGV[1]").keys("stock:{apples}").args("0").returningString()
 * }</pre>
 *
 * <p>Every key that is accessed has to be in {@link #keys}. A command gets its keys first, then its arguments; commands with another
 * order, such as those with a subcommand before the key, are called by a script.
 *
 * <p>Without one of the {@code returning…} methods the reply is discarded, and null is returned.
 *
 * <p>Immutable.
 *
 * @param <T> what it returns
 */
public final class FencedCommand<T extends @Nullable Object> {

    private final FenceScript script;
    private final List<String> keys;
    private final List<String> arguments;

    private FencedCommand(FenceScript script, List<String> keys, List<String> arguments) {
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    /**
     * A Redis command by its name, such as {@code SET}, {@code HSET}, {@code DECRBY} or {@code DEL}. Commands that only free memory
     * ({@code DEL}, {@code UNLINK}, {@code HDEL}, {@code SREM}, {@code ZREM}) are also executed when the server's memory is full.
     */
    public static FencedCommand<@Nullable Void> of(String name) {
        return new FencedCommand<>(FenceScript.ofCommand(name), List.of(), List.of());
    }

    /**
     * A Lua script, which is executed with the check in one atomic step. It finds the {@link #keys} in {@code KEYS}, and the {@link
     * #args} in {@code ARGV}. It must access no other keys. If it fails, what it has written before stays, as with every script; the
     * token counts as having written. A script that only reads counts as a write, too: so data that is read here and written later
     * in the critical section is not changed by an older token in between.
     *
     * @param lua without a {@code #!} line
     */
    public static FencedCommand<@Nullable Void> script(String lua) {
        return new FencedCommand<>(FenceScript.ofScript(lua), List.of(), List.of());
    }

    /** The keys; at least one. In a Cluster they have to be in the slot of the lock, see {@link RedisFence#key}. */
    public FencedCommand<T> keys(String... names) {
        return new FencedCommand<>(script, List.of(names), arguments);
    }

    /** The arguments after the keys. A command has at most 7,000 keys and arguments; a script any number. */
    public FencedCommand<T> args(String... values) {
        return new FencedCommand<>(script, keys, List.of(values));
    }

    /** Returns an integer reply, such as that of {@code DECRBY}. */
    public FencedCommand<Long> returningLong() {
        return returning(ScriptOutputType.INTEGER);
    }

    /** Returns a string reply, such as that of {@code GETSET}; null for no value. */
    public FencedCommand<@Nullable String> returningString() {
        return returning(ScriptOutputType.VALUE);
    }

    /** Returns whether an integer reply is 1, such as that of {@code DEL} of one key. */
    public FencedCommand<Boolean> returningBoolean() {
        return returning(ScriptOutputType.BOOLEAN);
    }

    /** Returns a list, such as the table that a script returns. */
    public FencedCommand<List<Object>> returningList() {
        return returning(ScriptOutputType.MULTI);
    }

    private <R extends @Nullable Object> FencedCommand<R> returning(ScriptOutputType output) {
        return new FencedCommand<>(script.returning(output), keys, arguments);
    }

    FenceScript script() {
        return script;
    }

    List<String> keys() {
        return keys;
    }

    List<String> arguments() {
        return arguments;
    }
}
