package io.holdfast.internal;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What this process has asked the store for and not been answered: at most one claim that waits, for the first in line,
 * and single attempts, each for its waiter alone. Guarded by the line's mutex.
 */
final class Bids {

    /** Longer than the pause between two requests for a claim. */
    private static final long RECENT = TimeUnit.SECONDS.toNanos(3);

    private final Engine engine;
    private final WaiterQueue attempts = new WaiterQueue();
    private int wholeAttempts;
    private @Nullable Bid waiting;

    Bids(Engine engine) {
        this.engine = engine;
    }

    boolean isEmpty() {
        return waiting == null && attempts.isEmpty();
    }

    boolean hasWaiting() {
        return waiting != null;
    }

    /** Is an attempt at all there is under way? */
    boolean triesWhole() {
        return wholeAttempts > 0;
    }

    /** Somebody whose single attempt is under way. */
    @Nullable
    Waiter anyAttempt() {
        return attempts.head();
    }

    /** What kept the store from answering, if nothing has come from it since. */
    @Nullable
    Throwable outage() {
        return waiting == null ? null : waiting.failure;
    }

    /** Why the last request for the claim that waits failed, if that is not long ago; whatever else was answered since. */
    @Nullable
    Throwable recentFailure() {
        Bid asked = waiting;
        return asked != null && engine.nanos() - asked.failedAt < RECENT ? asked.lastFailure : null;
    }

    /** Something else was answered. What keeps failing by itself is not over by that. */
    void outageOver() {
        if (waiting != null && waiting.underWay) {
            waiting.failure = null;
        }
    }

    void attempt(Waiter waiter, Followup then) {
        Bid attempt = new Bid(engine.claim(waiter), waiter);
        waiter.attempt = attempt;
        attempts.add(waiter);
        wholeAttempts += attempt.isWhole() ? 1 : 0;
        then.launch(attempt);
    }

    /** The attempt was answered. */
    void attempted(Bid attempt) {
        attempt.waiter.attempt = null;
        attempts.remove(attempt.waiter);
        wholeAttempts -= attempt.isWhole() ? 1 : 0;
    }

    void withdrawAttempt(Bid attempt, Followup then) {
        attempted(attempt);
        withdraw(attempt, then);
    }

    void waitFor(Waiter head, Followup then) {
        Bid next = new Bid(engine.claim(head), head);
        waiting = next;
        then.launch(next);
    }

    /** The claim that waited was granted, or refused for good. */
    void waited() {
        waiting = null;
    }

    /** Withdraws the claim that waits unless it is for as much as {@code head} wants. */
    void withdrawUnlessFor(@Nullable Waiter head, Followup then) {
        Bid asked = waiting;
        if (asked != null && (head == null || head.wish.share().units() != asked.claim.units())) {
            waiting = null;
            withdraw(asked, then);
        }
    }

    /** Sends it again, unchanged, because the store may have executed it. */
    void again(Bid asked, Throwable failure, Followup then) {
        asked.underWay = false;
        asked.failures++;
        asked.failure = failure;
        asked.lastFailure = failure;
        asked.failedAt = engine.nanos();
        if (asked.failures == 1) {
            then.acquireFailed(asked.waiter, failure);
        }
        then.retry(asked);
    }

    /** The answer took longer than the lease: asks anew, but not at once, or a slow store would be asked without end. */
    void anew(Bid asked, Waiter head, Followup then) {
        Bid next = new Bid(engine.claim(head), head);
        next.failures = asked.failures;
        waiting = next;
        again(next, new IllegalStateException("The store's answers take longer than the lease."), then);
    }

    private static void withdraw(Bid asked, Followup then) {
        asked.withdrawn = true;
        then.release(asked.claim);
    }
}
