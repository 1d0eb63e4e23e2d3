package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.support.DurationText;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Timeouts and exceptions of asynchronous calls to Lettuce. */
public final class AsyncCalls {

    private AsyncCalls() {}

    /** Starts a call. An exception that is thrown instead of a future becomes a failed future. */
    public static <T extends @Nullable Object> CompletableFuture<T> attempt(Supplier<CompletableFuture<T>> call) {
        return CompletableFuture.completedFuture(call).thenCompose(Supplier::get);
    }

    /** Fails the future with a {@link RedisCommandTimeoutException} if it is not completed within the timeout. */
    public static <T extends @Nullable Object> CompletableFuture<T> withTimeout(
            Environment environment, Duration timeout, CompletableFuture<T> answer) {
        Scheduler.Task limit = environment
                .scheduler()
                .schedule(() -> answer.completeExceptionally(timedOut(timeout)), timeout.toNanos());
        return answer.whenComplete((done, failure) -> limit.cancel());
    }

    /** The exception of a request that was not answered within the timeout. */
    public static RedisCommandTimeoutException timedOut(Duration timeout) {
        return new RedisCommandTimeoutException("No answer from Redis within " + DurationText.of(timeout));
    }
}
