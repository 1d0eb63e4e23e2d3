package io.holdfast.redis;

import io.holdfast.HoldfastException;
import io.holdfast.StaleTokenException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Guards data that lives in Redis against writers whose lease is over: a write is done if its token is not older than the
 * newest one that has written to the same key.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.on(connection);
 * try (Lease lease = lock.acquire(Duration.ofSeconds(3))) {
 *     fence.set("room:42", guest, lease.token());      // StaleTokenException: a later holder has written already
 * }
 * }</pre>
 *
 * <p>The newest token of each data key is kept in a mark beside it, in the same slot, for a {@linkplain #withRetention
 * retention} after the last guarded write. When the mark has gone, tokens older than the retention are turned away too.
 * So set {@code maxHold} of the lock below the retention. A server that evicts keys may evict marks: use it with
 * {@code noeviction}. A fail-over that loses writes may lose marks with them.
 *
 * <p>All writers of a key have to use the fence, with tokens of one and the same exclusive or write lock. What Redis or
 * Lettuce itself has to complain about comes out as Lettuce's own exception. Lettuce may send a command again after a
 * reconnect, unless its options say otherwise; a script that must not run twice has to see to that itself. While a slot of
 * a cluster moves, a write may fail with {@code TRYAGAIN}: nothing was written, and it can be repeated.
 *
 * <p>Thread-safe and immutable. The connection stays the caller's: it is never closed here, and must not be in a
 * transaction ({@code MULTI}), which a guarded write does not need. The blocking methods wait as long as the connection's
 * time-out says.
 */
public final class RedisFence {

    private static final Duration SHORTEST_RETENTION = Duration.ofMinutes(1);
    private static final Duration LONGEST_RETENTION = Duration.ofDays(365);

    /** How far the clock of the data's server may be behind or ahead of the one that tokens come from. */
    private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(1);

    /** Larger numbers are not exact in a script. In microseconds it is the year 2255. */
    private static final long LARGEST_TOKEN = (1L << 53) - 1;

    private final StatefulConnection<String, String> connection;
    private final RedisScriptingAsyncCommands<String, String> commands;
    private final Duration retention;
    private final @Nullable String lockName;

    private RedisFence(
            StatefulConnection<String, String> connection,
            RedisScriptingAsyncCommands<String, String> commands,
            Duration retention,
            @Nullable String lockName) {
        this.connection = connection;
        this.commands = commands;
        this.retention = retention;
        this.lockName = lockName;
    }

    /** A fence for data on one server, or on the master that Sentinel or a replica set-up leads to. */
    public static RedisFence on(StatefulRedisConnection<String, String> connection) {
        return new RedisFence(connection, connection.async(), Duration.ofDays(1), null);
    }

    /** A fence for data in a cluster. */
    public static RedisFence on(StatefulRedisClusterConnection<String, String> connection) {
        return new RedisFence(connection, connection.async(), Duration.ofDays(1), null);
    }

    /**
     * The same fence with another retention: how long the mark of a key outlives the last guarded write, and how old a
     * token may be when there is no mark. A day unless it is set; from a minute to 365 days. All who write to a key have
     * to use the same.
     */
    public RedisFence withRetention(Duration retention) {
        if (retention.compareTo(SHORTEST_RETENTION) < 0 || retention.compareTo(LONGEST_RETENTION) > 0) {
            throw new IllegalArgumentException(
                    "retention must be from " + SHORTEST_RETENTION + " to " + LONGEST_RETENTION + ": " + retention);
        }
        return new RedisFence(connection, commands, retention, lockName);
    }

    /** The same fence with the name of the lock, for messages. Without it they name the data key. */
    public RedisFence withLockName(String lockName) {
        return new RedisFence(connection, commands, retention, lockName);
    }

    /**
     * {@code SET key value}, guarded.
     *
     * @throws StaleTokenException if a newer token has been here, or the token is too old; nothing was written
     */
    public void set(String key, String value, long token) {
        await(key, token, send(key, token, FenceScript.SET, value));
    }

    /** {@link #set} without waiting; the stage fails with what {@code set} throws. */
    public CompletionStage<@Nullable Void> setAsync(String key, String value, long token) {
        return translated(key, token, send(key, token, FenceScript.SET, value)).thenApply(done -> null);
    }

    /**
     * {@code HSET key field value}, guarded.
     *
     * @throws StaleTokenException if a newer token has been here, or the token is too old; nothing was written
     */
    public void hset(String key, String field, String value, long token) {
        hset(key, Map.of(field, value), token);
    }

    /** {@link #hset(String, String, String, long)} without waiting. */
    public CompletionStage<@Nullable Void> hsetAsync(String key, String field, String value, long token) {
        return hsetAsync(key, Map.of(field, value), token);
    }

    /**
     * {@code HSET} of several fields, guarded, as one step.
     *
     * @throws StaleTokenException if a newer token has been here, or the token is too old; nothing was written
     */
    public void hset(String key, Map<String, String> fields, long token) {
        await(key, token, send(key, token, FenceScript.HSET, flat(fields)));
    }

    /** {@link #hset(String, Map, long)} without waiting. */
    public CompletionStage<@Nullable Void> hsetAsync(String key, Map<String, String> fields, long token) {
        return translated(key, token, send(key, token, FenceScript.HSET, flat(fields)))
                .thenApply(done -> null);
    }

    /**
     * {@code DEL key}, guarded. The mark stays for its retention, so an older writer does not bring the key back.
     *
     * @return whether there was something to delete
     * @throws StaleTokenException if a newer token has been here, or the token is too old; nothing was deleted
     */
    public boolean del(String key, long token) {
        return this.<Boolean>await(key, token, send(key, token, FenceScript.DEL));
    }

    /** {@link #del} without waiting. */
    public CompletionStage<Boolean> delAsync(String key, long token) {
        return translated(key, token, send(key, token, FenceScript.DEL));
    }

    /**
     * Runs a script of one's own behind the guard, in one step with it: {@code KEYS[1]} is the data key, {@code ARGV} are
     * {@code arguments}, and what it returns is returned. It must write to nothing but that key. If it fails, what it has
     * written so far stays, as with every script; the token counts as having been here.
     *
     * <pre>{@code
     * Long left = fence.run("stock:42", token, ScriptOutputType.INTEGER,
     *         "return redis.call('DECRBY', KEYS[1], ARGV[1])", "3");
     * }</pre>
     *
     * @param output what the script returns, and with it the type that is returned here, as in Lettuce's own methods
     * @param script Lua, without a {@code #!} line
     * @throws StaleTokenException if a newer token has been here, or the token is too old; the script was not run
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // as Lettuce does it: the output type decides
    public <T extends @Nullable Object> T run(
            String key, long token, ScriptOutputType output, String script, String... arguments) {
        return this.<T>await(key, token, send(key, token, guarded(script, output), arguments));
    }

    /** {@link #run} without waiting. */
    public <T extends @Nullable Object> CompletionStage<T> runAsync(
            String key, long token, ScriptOutputType output, String script, String... arguments) {
        return translated(key, token, send(key, token, guarded(script, output), arguments));
    }

    /**
     * Looks whether the token is stale, and does not count it as having been here: for readers, and before work whose
     * result will be written later. By the time it returns, a newer token may have come.
     *
     * @throws StaleTokenException if a newer token has been here, or the token is too old
     */
    public void check(String key, long token) {
        await(key, token, send(key, token, FenceScript.CHECK_ONLY));
    }

    /** {@link #check} without waiting. */
    public CompletionStage<@Nullable Void> checkAsync(String key, long token) {
        return translated(key, token, send(key, token, FenceScript.CHECK_ONLY)).thenApply(done -> null);
    }

    private static FenceScript guarded(String script, ScriptOutputType output) {
        if (script.startsWith("#!")) {
            throw new IllegalArgumentException("script must not begin with #!, for the guard goes before it: "
                    + script.lines().findFirst().orElse(""));
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

    private <T extends @Nullable Object> CompletionStage<T> send(
            String key, long token, FenceScript script, String... arguments) {
        if (key.isBlank()) {
            throw new IllegalArgumentException("key must not be blank: '" + key + "'");
        }
        if (token <= 0 || token > LARGEST_TOKEN) {
            throw new IllegalArgumentException("token must be from 1 to " + LARGEST_TOKEN + ": " + token);
        }
        String[] keys = {key, mark(key)};
        String[] values = Arrays.copyOf(arguments, arguments.length + 3);
        values[arguments.length] = Long.toString(token);
        values[arguments.length + 1] = Long.toString(TimeUnit.MICROSECONDS.convert(retention));
        values[arguments.length + 2] =
                Long.toString(retention.plus(CLOCK_DIFFERENCE).toMillis());
        CompletionStage<T> answer = commands.evalsha(commands.digest(script.text()), script.output(), keys, values);
        return answer.exceptionallyCompose(failure -> unwrapped(failure) instanceof RedisNoScriptException
                ? commands.eval(script.text(), script.output(), keys, values)
                : CompletableFuture.failedStage(failure));
    }

    private String mark(String key) {
        return FenceMark.of(key, each -> SlotHash.getSlot(connection.getCodec().encodeKey(each)));
    }

    /** Here and not in the connection's thread, so that the exception shows where the call came from. */
    private <T extends @Nullable Object> T await(String key, long token, CompletionStage<T> answer) {
        Duration limit = connection.getTimeout();
        try {
            return limit.isZero() || limit.isNegative()
                    ? answer.toCompletableFuture().get()
                    : answer.toCompletableFuture().get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RedisCommandInterruptedException(interrupted);
        } catch (TimeoutException silence) {
            throw new RedisCommandTimeoutException(
                    "No answer after " + limit + "; it is not known whether '" + key + "' was written");
        } catch (ExecutionException failure) {
            Throwable cause = translated(key, token, failure.getCause());
            if (cause instanceof RedisCommandExecutionException) {
                throw new RedisCommandExecutionException(cause.getMessage(), cause);
            }
            throw cause instanceof RuntimeException unchecked ? unchecked : new RedisException(cause);
        }
    }

    private <T extends @Nullable Object> CompletionStage<T> translated(
            String key, long token, CompletionStage<T> answer) {
        CompletableFuture<T> translated = new CompletableFuture<>();
        var unused = answer.whenComplete((value, failure) -> {
            if (failure == null) {
                translated.complete(value);
            } else {
                translated.completeExceptionally(translated(key, token, failure));
            }
        });
        return translated;
    }

    private Throwable translated(String key, long token, @Nullable Throwable failure) {
        Throwable cause = unwrapped(failure);
        String message = cause instanceof RedisCommandExecutionException ? String.valueOf(cause.getMessage()) : "";
        String lock = lockName == null ? key : lockName;
        String where = "Redis, key '" + key + "'";
        if (message.startsWith(FenceScript.STALE)) {
            return new StaleTokenException(lock, where, token, number(message, FenceScript.STALE));
        }
        if (message.startsWith(FenceScript.TOO_OLD)) {
            return StaleTokenException.tooOld(lock, where, token, number(message, FenceScript.TOO_OLD), retention);
        }
        if (message.startsWith(FenceScript.FOREIGN)) {
            return new HoldfastException(
                    lock,
                    where,
                    "The fence keeps its newest token at '" + mark(key) + "', but something else is there: nothing was"
                            + " written. Find out who writes to that key; when no guarded writer is active, delete it.",
                    cause);
        }
        return cause;
    }

    private static long number(String message, String prefix) {
        return Long.parseLong(message.substring(prefix.length()).strip());
    }

    private static Throwable unwrapped(@Nullable Throwable failure) {
        if (failure instanceof CompletionException && failure.getCause() != null) {
            return failure.getCause();
        }
        return failure == null ? new IllegalStateException("Failed without a cause") : failure;
    }
}
