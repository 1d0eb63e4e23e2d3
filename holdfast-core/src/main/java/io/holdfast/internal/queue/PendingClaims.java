package io.holdfast.internal.queue;

import io.holdfast.monitoring.LockEvent;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one name that the store has not answered: at most one claim that waits, for the head of the local queue,
 * and single attempts, each for its waiter alone. Guarded by the queue's mutex.
 */
final class PendingClaims {

    /** Longer than the backoff between two requests for a claim. */
    private static final long RECENT = TimeUnit.SECONDS.toNanos(3);

    private final QueueContext context;
    private final WaiterQueue attempts = new WaiterQueue();
    private int wholeAttempts;
    private @Nullable PendingClaim waiting;

    PendingClaims(QueueContext context) {
        this.context = context;
    }

    boolean isEmpty() {
        return waiting == null && attempts.isEmpty();
    }

    boolean hasWaiting() {
        return waiting != null;
    }

    /** Is an attempt at all units under way? */
    boolean triesWhole() {
        return wholeAttempts > 0;
    }

    /** The waiters whose single attempts are under way. */
    WaiterQueue attempts() {
        return attempts;
    }

    /** What kept the store from answering, if nothing has come from it since. */
    @Nullable
    Throwable outage() {
        return waiting == null ? null : waiting.failure;
    }

    /** Why the last request for the claim that waits failed, if that is not long ago; whatever else was answered since. */
    @Nullable
    Throwable recentFailure() {
        PendingClaim pending = waiting;
        return pending != null && context.nanos() - pending.failedAt < RECENT ? pending.lastFailure : null;
    }

    /** Another request was answered. A claim that keeps failing by itself is not helped by that. */
    void outageOver() {
        if (waiting != null && waiting.isUnderWay()) {
            waiting.failure = null;
        }
    }

    void attempt(Waiter waiter, DeferredActions then) {
        PendingClaim attempt = new PendingClaim(context.newClaim(waiter), waiter);
        waiter.attempt = attempt;
        attempts.add(waiter);
        wholeAttempts += attempt.isWhole() ? 1 : 0;
        then.send(attempt);
    }

    /** The attempt was answered. */
    void attempted(PendingClaim attempt) {
        attempt.waiter.attempt = null;
        attempts.remove(attempt.waiter);
        wholeAttempts -= attempt.isWhole() ? 1 : 0;
    }

    void withdrawAttempt(PendingClaim attempt, DeferredActions then) {
        attempted(attempt);
        withdraw(attempt, then);
    }

    void waitFor(Waiter head, DeferredActions then) {
        PendingClaim next = new PendingClaim(context.newClaim(head), head);
        waiting = next;
        then.send(next);
    }

    /** The claim that waited was granted, or refused for good. */
    void waited() {
        waiting = null;
    }

    /** Withdraws the claim that waits unless it is for as many units as {@code head} wants. */
    void withdrawUnlessFor(@Nullable Waiter head, DeferredActions then) {
        PendingClaim pending = waiting;
        if (pending != null && (head == null || head.request.units().wanted() != pending.claim.units())) {
            waiting = null;
            withdraw(pending, then);
        }
    }

    /** Sends it again, unchanged, because the store may have executed it. */
    void retry(PendingClaim pending, Throwable failure, DeferredActions then) {
        pending.failed(failure, context.nanos());
        if (pending.failures() == 1) {
            then.event(LockEvent.Kind.ACQUIRE_FAILED, pending.waiter, failure);
        }
        then.resend(pending);
    }

    /** The answer took longer than the lease: sends a new claim, but not at once, or a slow store would be polled without a pause. */
    void replace(PendingClaim pending, Waiter head, DeferredActions then) {
        PendingClaim next = new PendingClaim(context.newClaim(head), head, pending);
        waiting = next;
        retry(next, new IllegalStateException("The store's answers take longer than the lease."), then);
    }

    private static void withdraw(PendingClaim pending, DeferredActions then) {
        pending.withdraw();
        then.withdraw(pending.claim);
    }
}
