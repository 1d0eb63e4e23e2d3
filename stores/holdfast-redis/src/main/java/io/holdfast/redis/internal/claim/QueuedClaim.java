package io.holdfast.redis.internal.claim;

import io.holdfast.redis.internal.connection.GrantMessage;
import io.holdfast.redis.internal.script.AcquireReply;
import io.holdfast.redis.internal.script.ScriptConstants;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A claim in the wait queue of the server: it polls at intervals, and is notified by a pub/sub message in between. */
public final class QueuedClaim {

    /*
     * Correctness does not depend on messages; they only save time. The claim at the head polls every second, which is less than a
     * grant by message lasts, so a claim whose message was lost finds its grant by polling. The others poll less often, the further
     * back the less; polling is also how the server knows that they are alive.
     *
     * At most one request is pending at a time; a reason to poll that arises meanwhile makes the next one follow at once. `polling`,
     * `pollAgain` and `finished` change only under the mutex, and whoever clears `polling` reads `pollAgain` in the same step.
     *
     * The time of a grant by message. It was made when the server's clock showed S. A request of this client that was sent at t0
     * was executed when the same clock showed s0, so not before t0; hence the grant was made at t0 + (S - s0) or later, and counting
     * from there is counting from too early, which is safe; and not later than when the message arrived, which also covers a server
     * clock that was stepped forward meanwhile. Another server process has another clock: then the claim polls, and counts from
     * that request.
     *
     * Calls go in one direction: from QueuedClaims to this class, and from here to AcquireRequests. Only the end is reported back.
     */
    private static final long POLL_INTERVAL = TimeUnit.MICROSECONDS.toNanos(ScriptConstants.POLL_INTERVAL);
    private static final long STEP_PER_POSITION = TimeUnit.MILLISECONDS.toNanos(200);

    private final Claim claim;
    private final AcquireRequests requests;
    private final Scheduler scheduler;
    private final BiConsumer<QueuedClaim, End> onEnd;
    private final CompletableFuture<Optional<Grant>> result = new CompletableFuture<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean polling;
    private boolean pollAgain;
    private boolean finished;
    /** The last step was to subscribe to the wakeup channel. */
    private boolean subscribed;

    private String arrivalNumber = "";
    private @Nullable Moment sentAt;
    private AcquireReply.@Nullable Queued queued;
    private Scheduler.@Nullable Task timer;

    /** A message that has overtaken the answer to the first request, and when it arrived. */
    private @Nullable GrantMessage early;

    private @Nullable Moment earlyAt;

    /** How a wait has ended. */
    enum End {
        /** By the answer to a request; no request is pending. */
        ANSWERED,
        /** By a message; no request is pending. */
        GRANTED_BY_MESSAGE,
        /** By a message; a request may still arrive at the server. */
        GRANTED_BY_MESSAGE_WHILE_POLLING,
        /** By a failure, or while a request was pending: it may still arrive at the server. */
        UNCERTAIN
    }

    /** @param onEnd is called once, before the result is completed; not after {@link #cancel} */
    QueuedClaim(Claim claim, AcquireRequests requests, Scheduler scheduler, BiConsumer<QueuedClaim, End> onEnd) {
        this.claim = claim;
        this.requests = requests;
        this.scheduler = scheduler;
        this.onEnd = onEnd;
    }

    Claim claim() {
        return claim;
    }

    CompletableFuture<Optional<Grant>> result() {
        return result;
    }

    /** Polls now, or as soon as the pending request is answered. */
    void poll() {
        String number;
        mutex.lock();
        try {
            if (finished) {
                return;
            }
            if (polling) {
                pollAgain = true;
                return;
            }
            polling = true;
            pollAgain = false;
            cancelTimer();
            number = arrivalNumber;
        } finally {
            mutex.unlock();
        }
        var unused = requests.send(claim, number).whenComplete(this::onAnswer);
    }

    /** The message that grants this claim has arrived. */
    void onGrant(GrantMessage message, Moment received) {
        Grant grant = null;
        mutex.lock();
        try {
            if (queued == null && polling) {
                early = message;
                earlyAt = received;
                return;
            }
            // A grant that is older than the answer had expired by then, or the request would have found it.
            if (!finished
                    && queued != null
                    && sentAt != null
                    && message.runId().equals(queued.runId())
                    && message.time() >= queued.serverTime()) {
                Moment from = earlier(
                        sentAt.plusNanos(TimeUnit.MICROSECONDS.toNanos(message.time() - queued.serverTime())),
                        received);
                grant = new Grant(
                        claim,
                        message.token(),
                        message.tokens(),
                        from,
                        Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(message.window())));
            }
        } finally {
            mutex.unlock();
        }
        if (grant == null || requests.waitsForReplicas()) {
            poll();
        } else {
            finish(grant, null, true);
        }
    }

    /** Compares each clock by itself: while the machine was suspended, one of them stood still. */
    public static Moment earlier(Moment one, Moment other) {
        return new Moment(
                one.nanos() - other.nanos() < 0 ? one.nanos() : other.nanos(),
                Math.min(one.wallMicros(), other.wallMicros()));
    }

    /** Stops polling, without a result. Returns whether a request is pending. */
    boolean cancel() {
        mutex.lock();
        try {
            finished = true;
            cancelTimer();
            return polling;
        } finally {
            mutex.unlock();
        }
    }

    void fail(Throwable failure) {
        finish(null, failure, false);
    }

    private void onAnswer(AcquireRequests.@Nullable Answer answer, @Nullable Throwable failure) {
        if (answer == null) {
            requestEnded();
            finish(null, failure, false);
        } else if (answer.reply() instanceof AcquireReply.Queued reply) {
            pollLater(reply, answer.sent());
        } else if (answer.reply() instanceof AcquireReply.NotSubscribed) {
            subscribe();
        } else {
            requestEnded();
            if (answer.reply() instanceof AcquireReply.Granted granted) {
                finish(answer.grant(granted), null, false);
            } else {
                finish(null, answer.refusal(), false);
            }
        }
    }

    /** Counts as a pending request: a reason to poll that arises meanwhile is covered by the request that follows. */
    private void subscribe() {
        boolean notVisible;
        boolean again = false;
        mutex.lock();
        try {
            notVisible = subscribed;
            subscribed = !notVisible;
            if (notVisible && !finished) {
                // Subscribed, but the server that has the key does not see it, as while a slot moves. That takes time.
                polling = false;
                again = pollAgain;
                if (!again) {
                    timer = scheduler.schedule(this::poll, POLL_INTERVAL);
                }
            }
        } finally {
            mutex.unlock();
        }
        if (again) {
            poll();
        } else if (!notVisible) {
            var unused = requests.subscribe(claim).whenComplete((done, failure) -> {
                requestEnded();
                if (failure != null) {
                    finish(null, failure, false);
                } else {
                    poll();
                }
            });
        }
    }

    private void requestEnded() {
        mutex.lock();
        try {
            polling = false;
        } finally {
            mutex.unlock();
        }
    }

    private void pollLater(AcquireReply.Queued reply, Moment sent) {
        boolean again;
        GrantMessage before;
        Moment beforeAt;
        mutex.lock();
        try {
            polling = false;
            subscribed = false;
            queued = reply;
            sentAt = sent;
            arrivalNumber = reply.arrivalNumber();
            before = early;
            beforeAt = earlyAt;
            early = null;
            again = pollAgain;
            if (!again && !finished) {
                timer = scheduler.schedule(this::poll, delay(reply));
            }
        } finally {
            mutex.unlock();
        }
        if (before != null && beforeAt != null) {
            onGrant(before, beforeAt);
        } else if (again) {
            poll();
        }
    }

    /**
     * The first two poll every second, the others less often the further back they are. All poll after the expiry of the holder's
     * lease, one after the other: those in front may be dead, and then it is one behind them that finds the lease expired.
     */
    private static long delay(AcquireReply.Queued reply) {
        if (reply.more()) {
            return 0;
        }
        long interval = reply.position() <= 2
                ? POLL_INTERVAL
                : Math.min(reply.position(), ScriptConstants.LONGEST_POLL) * POLL_INTERVAL;
        long afterExpiry =
                TimeUnit.MICROSECONDS.toNanos(reply.untilExpiry() + 1) + (reply.position() - 1) * STEP_PER_POSITION;
        return Math.min(interval, afterExpiry);
    }

    private void finish(@Nullable Grant grant, @Nullable Throwable failure, boolean byMessage) {
        boolean pending;
        mutex.lock();
        try {
            if (finished) {
                return;
            }
            pending = polling;
            finished = true;
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        if (byMessage) {
            onEnd.accept(this, pending ? End.GRANTED_BY_MESSAGE_WHILE_POLLING : End.GRANTED_BY_MESSAGE);
        } else {
            onEnd.accept(this, pending || failure != null ? End.UNCERTAIN : End.ANSWERED);
        }
        if (failure != null) {
            result.completeExceptionally(failure);
        } else {
            result.complete(Optional.ofNullable(grant));
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
