package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Finds out whether a connection for messages is half open, from the answers to a {@code PING} there and to one elsewhere. */
final class Deafness {

    /*
     * A message that was sent into a half-open connection is lost, and its waiter asks by itself only after a while, the longer
     * the further back in the queue it was. So the connection is tried every half second while somebody waits, and replaced if
     * it stays silent for another half after the server has answered elsewhere: then all who wait ask. Silence alone means
     * nothing: a server that stands still for a moment would find all of its waiters asking at once.
     */
    static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

    private final Scheduler scheduler;
    private final long timeout;

    Deafness(Environment environment, Duration timeout) {
        this.scheduler = environment.scheduler();
        this.timeout = timeout.toNanos();
    }

    /** Answered with true if that connection is deaf; with false as soon as it has answered, or if nothing can be said. */
    CompletableFuture<Boolean> of(CompletableFuture<String> pong, CompletableFuture<String> pongElsewhere) {
        CompletableFuture<Boolean> deaf = new CompletableFuture<>();
        Scheduler.Task limit = scheduler.schedule(() -> deaf.complete(false), timeout + INTERVAL);
        var unused = pong.whenComplete((answer, failure) -> {
            if (isAnswer(failure)) {
                deaf.complete(false);
            }
        });
        var unusedToo = pongElsewhere.whenComplete((answer, failure) -> {
            if (isAnswer(failure)) {
                // In two steps: if this process stood still meanwhile, the answer may be there and not yet read.
                scheduler.schedule(
                        () -> scheduler.schedule(() -> deaf.complete(true), INTERVAL / 2), INTERVAL - INTERVAL / 2);
            }
        });
        return deaf.whenComplete((known, failure) -> limit.cancel());
    }

    /** A refusal is one, too; no answer in time is not. */
    private static boolean isAnswer(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Calls.cause(failure);
        return cause == null || cause instanceof RedisCommandExecutionException;
    }
}
