package io.holdfast.redis.internal.connection;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.holdfast.spi.support.Failures;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Detects a half-open pub/sub connection, by a {@code PING} there and one on the connection for requests to the same server. */
public final class PubSubHealthCheck {

    /*
     * A message that was sent into a half-open connection is lost, and its waiter polls only after a while, the longer the further
     * back in the queue it was. So the connection is checked every half second while claims wait, and replaced if it stays
     * unresponsive for another half second after the server has answered on the other connection: then all waiting claims poll.
     * Unresponsiveness alone is no reason: a server that pauses for a moment would be polled by all of its waiters at once.
     */

    /** How often the connection is checked while claims wait, in nanoseconds. */
    public static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

    private final Scheduler scheduler;
    private final long timeout;

    PubSubHealthCheck(Environment environment, Duration timeout) {
        this.scheduler = environment.scheduler();
        this.timeout = timeout.toNanos();
    }

    /** Completes with true if the connection is half-open; with false as soon as it has answered, or if it cannot be determined. */
    CompletableFuture<Boolean> isHalfOpen(CompletableFuture<String> pong, CompletableFuture<String> pongElsewhere) {
        CompletableFuture<Boolean> halfOpen = new CompletableFuture<>();
        Scheduler.Task limit = scheduler.schedule(() -> halfOpen.complete(false), timeout + INTERVAL);
        var unused = pong.whenComplete((answer, failure) -> {
            if (isAnswer(failure)) {
                halfOpen.complete(false);
            }
        });
        var unusedToo = pongElsewhere.whenComplete((answer, failure) -> {
            if (isAnswer(failure)) {
                // In two steps: if this process was paused meanwhile, the answer may have arrived and not yet be read.
                scheduler.schedule(
                        () -> scheduler.schedule(() -> halfOpen.complete(true), INTERVAL / 2), INTERVAL - INTERVAL / 2);
            }
        });
        return halfOpen.whenComplete((known, failure) -> limit.cancel());
    }

    /** An error reply of the server is an answer, too; a timeout is not. */
    private static boolean isAnswer(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Failures.unwrap(failure);
        return cause == null || cause instanceof RedisCommandExecutionException;
    }
}
