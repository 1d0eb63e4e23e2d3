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

    private final QueueContext context;
    private final String name;
    private final int capacity;
    private final WaiterQueue waiters;
    private final PendingClaims pendingClaims;
    private final HeldGrants grants;

    Admission(
            QueueContext context,
            String name,
            int capacity,
            WaiterQueue waiters,
            PendingClaims pendingClaims,
            HeldGrants grants) {
        this.context = context;
        this.name = name;
        this.capacity = capacity;
        this.waiters = waiters;
        this.pendingClaims = pendingClaims;
        this.grants = grants;
    }

    /** A new waiter: it gets a lease at once, is refused, or waits. */
    void enter(Waiter waiter, DeferredActions then) {
        Units units = waiter.request.units();
        then.event(LockEvent.Kind.REQUESTED, waiter, null);
        if (context.isClosing()) {
            then.refuse(waiter, context.exceptions().closed(name));
            return;
        }
        if (units.capacity() != capacity) {
            then.refuse(waiter, context.exceptions().wrongKind(name, units, capacity));
            return;
        }
        HeldGrant latest = grants.latest();
        if (latest != null && latest.leases != null) {
            Moment now = context.now(waiter.joined);
            if (units.isRead() && waiters.isEmpty() && latest.admits(waiter.request.times(), now)) {
                grants.attach(waiter, latest, then, now);
                return;
            }
            grants.dropIfExpired(latest.leases, now, then);
        }
        boolean held = grants.hasWhole();
        boolean others = held || !waiters.isEmpty() || pendingClaims.hasWaiting() || pendingClaims.triesWhole();
        HeldGrant direct = others ? null : grants.addDirectly(waiter, waiter.joined);
        if (direct != null) {
            grants.attach(waiter, direct, then, direct.deadline().from());
            return;
        }
        boolean behindOthers = units.isWhole() ? others || !grants.isEmpty() : held || !waiters.isEmpty();
        if (waiter.mode == Claim.Mode.WAIT) {
            waiter.behindLocalHolder(waiters.isEmpty() && !grants.isEmpty());
            waiters.add(waiter);
            if (behindOthers) {
                then.event(LockEvent.Kind.WAITING, waiter, null);
            }
        } else if (held || pendingClaims.outage() != null || (units.isWhole() && behindOthers)) {
            // While the claim of the waiters is being sent again, the store does not know of them.
            then.refuse(waiter, null);
        } else {
            pendingClaims.attempt(waiter, then);
        }
    }

    /** The claim that waited was granted. */
    void granted(PendingClaim pending, Grant grant, DeferredActions then) {
        pendingClaims.waited();
        HeldGrant fresh = grants.add(pending.claim, grant);
        Moment now = context.now();
        if (fresh.deadline().left(now) > 0) {
            grants.begun(fresh, then, now);
            return;
        }
        then.release(grants.remove(fresh));
        Waiter head = waiters.head();
        if (head != null) {
            pendingClaims.replace(pending, head, then);
        }
    }

    /** The answer to a single attempt: a grant, a failure, or neither for "held". */
    void attempted(PendingClaim pending, @Nullable Grant grant, @Nullable Throwable failure, DeferredActions then) {
        pendingClaims.attempted(pending);
        LockExceptions exceptions = context.exceptions();
        if (grant == null) {
            if (failure != null) {
                then.withdraw(pending.claim);
            }
            then.refuse(pending.waiter, failure == null ? null : exceptions.noAnswer(name, failure));
            return;
        }
        HeldGrant fresh = grants.add(pending.claim, grant);
        Moment now = context.now();
        if (context.isClosing()) {
            then.release(grants.remove(fresh));
            then.refuse(pending.waiter, exceptions.closed(name));
        } else if (fresh.deadline().left(now) <= 0) {
            then.release(grants.remove(fresh));
            then.refuse(
                    pending.waiter,
                    exceptions.noAnswer(name, new IllegalStateException("the answer took longer than the lease")));
        } else {
            grants.attach(pending.waiter, fresh, then, now);
        }
    }

    /** The claim that waits has failed: it is sent again, unless the store has refused it. */
    void failed(PendingClaim pending, @Nullable Throwable failure, DeferredActions then) {
        Throwable cause = failure != null
                ? Failures.unwrap(failure)
                : new IllegalStateException("The store did not queue the claim.");
        if (cause instanceof RefusedException) {
            pendingClaims.waited();
            Waiter head = waiters.head();
            if (head != null) {
                waiters.remove(head);
                then.refuse(head, context.exceptions().noAnswer(name, cause));
            }
        } else {
            pendingClaims.retry(pending, cause, then);
        }
    }
}
