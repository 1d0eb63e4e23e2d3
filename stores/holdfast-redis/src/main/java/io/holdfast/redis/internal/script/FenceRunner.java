package io.holdfast.redis.internal.script;

import io.holdfast.HoldfastException;
import io.holdfast.StaleTokenException;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the scripts of a fence for one token of one lock, and translates their errors.
 *
 * @param mark the key of the newest token that has written under the lock
 */
public record FenceRunner(
        StatefulConnection<String, String> connection,
        RedisScriptingAsyncCommands<String, String> commands,
        Duration retention,
        String mark,
        String lockName,
        long token) {

    private static final String STORE = "Redis";

    /** The largest difference between the clock of the data's server and the clock that tokens come from. */
    private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(1);

    public <T extends @Nullable Object> CompletionStage<T> send(
            FenceScript script, List<String> dataKeys, List<String> arguments) {
        dataKeys.forEach(this::check);
        if (dataKeys.size() + arguments.size() > script.mostArguments()) {
            throw new IllegalArgumentException("a command can have at most " + script.mostArguments()
                    + " keys and arguments, not " + (dataKeys.size() + arguments.size())
                    + "; nothing was sent. Use several commands, or a script.");
        }
        List<String> allKeys = new ArrayList<>(dataKeys);
        allKeys.add(mark);
        List<String> allArguments = new ArrayList<>(arguments);
        allArguments.add(Long.toString(token));
        allArguments.add(Long.toString(TimeUnit.MICROSECONDS.convert(retention)));
        allArguments.add(Long.toString(retention.plus(CLOCK_DIFFERENCE).toMillis()));
        String[] keys = allKeys.toArray(String[]::new);
        String[] values = allArguments.toArray(String[]::new);
        CompletionStage<T> reply = commands.evalsha(commands.digest(script.text()), script.output(), keys, values);
        CompletionStage<T> repeated =
                reply.exceptionallyCompose(failure -> Failures.unwrap(failure) instanceof RedisNoScriptException
                        ? commands.eval(script.text(), script.output(), keys, values)
                        : CompletableFuture.failedStage(failure));
        return script.discardsReply() ? repeated.thenApply(discarded -> null) : repeated;
    }

    private void check(String key) {
        if (key.isBlank()) {
            throw new IllegalArgumentException("key must not be blank: '" + key + "'");
        }
        if (connection instanceof StatefulRedisClusterConnection && slot(key) != slot(mark)) {
            throw new IllegalArgumentException("Key '" + key + "' is in hash slot " + slot(key) + " and lock '"
                    + lockName
                    + "' in " + slot(mark) + ", but in a Cluster a script can access one slot only; nothing was sent."
                    + " Use a key with the hash tag of the lock, as RedisFence.key(lockName, name) returns it: '"
                    + LockKeys.dataKey(lockName, "NAME") + "'.");
        }
    }

    /** Of the key as it is sent: a codec may put a prefix before it. */
    private int slot(String key) {
        return SlotHash.getSlot(connection.getCodec().encodeKey(key));
    }

    /** Translates exceptions in the caller's thread, so that the stack trace has the caller. */
    public <T extends @Nullable Object> T await(CompletionStage<T> answer) {
        Duration limit = connection.getTimeout();
        try {
            return limit.isZero() || limit.isNegative()
                    ? answer.toCompletableFuture().get()
                    : answer.toCompletableFuture().get(TimeUnit.NANOSECONDS.convert(limit), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RedisCommandInterruptedException(interrupted);
        } catch (TimeoutException timeout) {
            throw new RedisCommandTimeoutException("No answer from Redis within " + DurationText.of(limit)
                    + "; it is unknown whether the command under lock '" + lockName + "' (token " + token
                    + ") was executed. Read the data before you repeat it.");
        } catch (ExecutionException failure) {
            Throwable cause = translated(failure.getCause());
            if (cause instanceof RedisCommandExecutionException) {
                throw new RedisCommandExecutionException(cause.getMessage(), cause);
            }
            throw cause instanceof RuntimeException unchecked ? unchecked : new RedisException(cause);
        }
    }

    public <T extends @Nullable Object> CompletionStage<T> translated(CompletionStage<T> answer) {
        CompletableFuture<T> translated = new CompletableFuture<>();
        var unused = answer.whenComplete((value, failure) -> {
            if (failure == null) {
                translated.complete(value);
            } else {
                translated.completeExceptionally(translated(failure));
            }
        });
        return translated;
    }

    private Throwable translated(@Nullable Throwable failure) {
        Throwable cause =
                failure == null ? new IllegalStateException("Failed without a cause") : Failures.unwrap(failure);
        String message = cause instanceof RedisCommandExecutionException ? String.valueOf(cause.getMessage()) : "";
        if (message.startsWith(FenceScript.STALE)) {
            return new StaleTokenException(lockName, STORE, token, number(message, FenceScript.STALE));
        }
        if (message.startsWith(FenceScript.TOO_OLD)) {
            return StaleTokenException.tooOld(lockName, STORE, token, number(message, FenceScript.TOO_OLD), retention);
        }
        if (message.startsWith(FenceScript.FOREIGN)) {
            return new HoldfastException(
                    lockName,
                    STORE,
                    "The key '" + mark + "' should hold the fence's newest token, but holds something else: nothing was"
                            + " written. Find out what writes to that key; when no guarded writer is active, delete it.",
                    cause);
        }
        return cause;
    }

    private static long number(String message, String prefix) {
        return Long.parseLong(message.substring(prefix.length()).strip());
    }
}
