package io.holdfast.internal.queue;

import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.support.Failures;
import org.jspecify.annotations.Nullable;

/** Decides what becomes of a new waiter, and of the store's answers to claims. Guarded by the queue's mutex. */
final class Admission {

    private Admission() {}

    /** A new waiter: it gets a lease at once, is refused, or waits. */
    static void enter(LocalQueue queue, Waiter waiter, DeferredActions then) {
        Units units = waiter.request.units();
        then.event(LockEvent.Kind.REQUESTED, waiter, null);
        if (queue.context.isClosing()) {
            then.refuse(waiter, queue.context.exceptions().closed(queue.name));
            return;
        }
        if (units.capacity() != queue.capacity) {
            then.refuse(waiter, queue.context.exceptions().wrongKind(queue.name, units, queue.capacity));
            return;
        }
        HeldGrant latest = queue.grants.latest();
        if (latest != null && latest.leases != null) {
            Moment now = queue.context.now(waiter.joined);
            if (units.isRead() && queue.waiters.isEmpty() && latest.admits(waiter.request.times(), now)) {
                queue.grants.attach(waiter, latest, then, now);
                return;
            }
            queue.grants.dropIfExpired(latest.leases, now, then);
        }
        boolean held = queue.grants.hasWhole();
        boolean others = held
                || !queue.waiters.isEmpty()
                || queue.pendingClaims.hasWaiting()
                || queue.pendingClaims.triesWhole();
        HeldGrant direct = others ? null : queue.grants.addDirectly(waiter, waiter.joined);
        if (direct != null) {
            queue.grants.attach(waiter, direct, then, direct.deadline().from());
            return;
        }
        boolean behindOthers = units.isWhole() ? others || !queue.grants.isEmpty() : held || !queue.waiters.isEmpty();
        if (waiter.mode == Claim.Mode.WAIT) {
            waiter.behindLocalHolder(queue.waiters.isEmpty() && !queue.grants.isEmpty());
            queue.waiters.add(waiter);
            if (behindOthers) {
                then.event(LockEvent.Kind.WAITING, waiter, null);
            }
        } else if (held || queue.pendingClaims.outage() != null || (units.isWhole() && behindOthers)) {
            // While the claim of the waiters is being sent again, the store does not know of them.
            then.refuse(waiter, null);
        } else {
            queue.pendingClaims.attempt(waiter, then);
        }
    }

    /** The claim that waited was granted. */
    static void granted(LocalQueue queue, PendingClaim pending, Grant grant, DeferredActions then) {
        queue.pendingClaims.waited();
        HeldGrant fresh = queue.grants.add(pending.claim, grant);
        Moment now = queue.context.now();
        if (fresh.deadline().left(now) > 0) {
            queue.grants.begun(fresh, then, now);
            return;
        }
        then.release(queue.grants.remove(fresh));
        Waiter head = queue.waiters.head();
        if (head != null) {
            queue.pendingClaims.replace(pending, head, then);
        }
    }

    /** The answer to a single attempt: a grant, a failure, or neither for "held". */
    static void attempted(
            LocalQueue queue,
            PendingClaim pending,
            @Nullable Grant grant,
            @Nullable Throwable failure,
            DeferredActions then) {
        queue.pendingClaims.attempted(pending);
        LockExceptions exceptions = queue.context.exceptions();
        if (grant == null) {
            if (failure != null) {
                then.withdraw(pending.claim);
            }
            then.refuse(pending.waiter, failure == null ? null : exceptions.noAnswer(queue.name, failure));
            return;
        }
        HeldGrant fresh = queue.grants.add(pending.claim, grant);
        Moment now = queue.context.now();
        if (queue.context.isClosing()) {
            then.release(queue.grants.remove(fresh));
            then.refuse(pending.waiter, exceptions.closed(queue.name));
        } else if (fresh.deadline().left(now) <= 0) {
            then.release(queue.grants.remove(fresh));
            then.refuse(
                    pending.waiter,
                    exceptions.noAnswer(
                            queue.name, new IllegalStateException("the answer took longer than the lease")));
        } else {
            queue.grants.attach(pending.waiter, fresh, then, now);
        }
    }

    /** The claim that waits has failed: it is sent again, unless the store has refused it. */
    static void failed(LocalQueue queue, PendingClaim pending, @Nullable Throwable failure, DeferredActions then) {
        Throwable cause = failure != null
                ? Failures.unwrap(failure)
                : new IllegalStateException("The store did not queue the claim.");
        if (cause instanceof RefusedException) {
            queue.pendingClaims.waited();
            Waiter head = queue.waiters.head();
            if (head != null) {
                queue.waiters.remove(head);
                then.refuse(head, queue.context.exceptions().noAnswer(queue.name, cause));
            }
        } else {
            queue.pendingClaims.retry(pending, cause, then);
        }
    }
}
