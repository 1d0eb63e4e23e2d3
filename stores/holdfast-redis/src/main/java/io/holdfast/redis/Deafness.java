package io.holdfast.redis;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Finds out whether a connection for messages is half open, from the answers to a {@code PING} there and to one elsewhere. */
final class Deafness {

    /*
     * A message that was sent into a half-open connection is lost, and its waiter asks by itself only after a while, the longer
     * the further back in the queue it was. So the connection is tried every half second while somebody waits, and replaced if
     * it is silent for another half while the server answers elsewhere: then all who wait ask. Were it for the silence alone,
     * a server that stands still for a moment would find all of its waiters asking at once.
     */
    static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);

    private final Scheduler scheduler;
    private final long patience;
    private final long timeout;

    Deafness(Environment environment, Duration timeout) {
        this.scheduler = environment.scheduler();
        this.timeout = timeout.toNanos();
        this.patience = Math.min(INTERVAL, this.timeout);
    }

    /** Answered with true if that connection is deaf, and with false as soon as it has answered. */
    CompletableFuture<Boolean> of(CompletableFuture<?> pong, CompletableFuture<?> pongElsewhere) {
        CompletableFuture<Boolean> deaf = new CompletableFuture<>();
        Scheduler.Task soon = scheduler.schedule(
                () -> {
                    if (pongElsewhere.isDone() && !pongElsewhere.isCompletedExceptionally()) {
                        deaf.complete(true);
                    }
                },
                patience);
        Scheduler.Task inTheEnd = scheduler.schedule(() -> deaf.complete(true), timeout);
        var unused = pong.whenComplete((answer, broken) -> {
            soon.cancel();
            inTheEnd.cancel();
            deaf.complete(false);
        });
        return deaf;
    }
}
