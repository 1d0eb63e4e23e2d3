package io.holdfast.internal.queue;

import io.holdfast.LeaseLostException.Reason;
import io.holdfast.LeaseState;
import io.holdfast.internal.memory.DirectStore;
import io.holdfast.internal.memory.TokenClock;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one name that this process holds, the latest first, with their leases; and who gets them next. Guarded by the
 * queue's mutex.
 */
final class HeldGrants {

    private final QueueContext context;
    private final LocalQueue queue;
    private final WaiterQueue waiters;
    private @Nullable HeldGrant first;
    private int wholeGrants;

    HeldGrants(QueueContext context, LocalQueue queue, WaiterQueue waiters) {
        this.context = context;
        this.queue = queue;
        this.waiters = waiters;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Does this process have all units? */
    boolean hasWhole() {
        return wholeGrants > 0;
    }

    /** The latest; the others follow by {@link HeldGrant#after}. */
    @Nullable
    HeldGrant latest() {
        return first;
    }

    /** The first lease that {@code wanted} accepts. */
    @Nullable
    LeaseRecord find(Predicate<LeaseRecord> wanted) {
        for (HeldGrant held = first; held != null; held = held.after) {
            for (LeaseRecord record = held.leases; record != null; record = record.after) {
                if (wanted.test(record)) {
                    return record;
                }
            }
        }
        return null;
    }

    /** The one in whose block {@code token} is. */
    @Nullable
    HeldGrant of(long token) {
        HeldGrant held = first;
        while (held != null && !held.hasInBlock(token)) {
            held = held.after;
        }
        return held;
    }

    /** Of the block that {@code token} is in: the token in use and how many follow; null if none is in use here. */
    TokenClock.@Nullable Block inUse(long token) {
        HeldGrant its = of(token);
        return its == null ? null : its.tokensInUse();
    }

    LocalQueue.TokenOwner revoking(long token) {
        HeldGrant its = of(token);
        if (its == null) {
            return LocalQueue.TokenOwner.NOT_HERE;
        }
        if (!its.isUsedWith(token)) {
            return LocalQueue.TokenOwner.ANOTHER_LEASE;
        }
        its.revoking = true;
        return LocalQueue.TokenOwner.THAT_LEASE;
    }

    /** The store is in this process and can grant at once: no claim is pending. Null if that is not so. */
    @Nullable
    HeldGrant addDirectly(Waiter waiter, long now) {
        DirectStore direct = context.directStore();
        if (direct == null) {
            return null;
        }
        Claim claim = context.newClaim(waiter);
        Grant grant = direct.grantNow(claim, now);
        return grant == null ? null : add(claim, grant);
    }

    HeldGrant add(Claim sent, Grant grant) {
        HeldGrant held = new HeldGrant(sent, grant, context.handOffNanos());
        HeldGrant next = first;
        held.after = next;
        if (next != null) {
            next.before = held;
        }
        first = held;
        held.current = true;
        wholeGrants += held.isWhole() ? 1 : 0;
        return held;
    }

    HeldGrant remove(HeldGrant held) {
        HeldGrant previous = held.before;
        HeldGrant next = held.after;
        if (previous == null) {
            first = next;
        } else {
            previous.after = next;
        }
        if (next != null) {
            next.before = previous;
        }
        held.before = null;
        held.after = null;
        held.current = false;
        wholeGrants -= held.isWhole() ? 1 : 0;
        return held;
    }

    void shrinkToReader(HeldGrant held) {
        wholeGrants -= held.isWhole() ? 1 : 0;
        held.shrinkToReader();
    }

    /** Makes a lease for the waiter: with the next token, or with that of the readers it shares the grant with. */
    void attach(Waiter waiter, HeldGrant held, DeferredActions then, Moment now) {
        boolean granted = held.isFresh();
        boolean alone = held.leases == null;
        long token = alone ? held.nextToken() : held.sharedToken();
        LeaseHandle lease = waiter.newLease(queue, held, token, now.nanos());
        if (alone) {
            held.nextRenewal = context.renewalPolicy().firstRenewalAt(held);
        }
        held.add(lease.record());
        if (granted && !held.isConfirmed()) {
            then.confirm(held);
        }
        then.serve(waiter, lease, granted ? LockEvent.Kind.ACQUIRED : LockEvent.Kind.HANDED_OVER);
    }

    /** The lease is released. Its grant stays, for the queue to decide about. */
    void end(LeaseRecord record, String why, Moment now) {
        record.held.remove(record);
        holdBack(record);
        record.released(why, now.nanos());
    }

    private static void holdBack(LeaseRecord ended) {
        long holdAtLeast = ended.request.times().holdAtLeast();
        if (holdAtLeast > 0 && !ended.isUnseen()) {
            ended.held.holdBackUntil(ended.since + holdAtLeast);
        }
    }

    void dropIfExpired(LeaseRecord record, Moment now, DeferredActions then) {
        if (record.recorded() == LeaseState.HELD && record.left(now) <= 0) {
            HeldGrant held = record.held;
            boolean allExpired = held.deadline().left(now) <= 0;
            dropExpired(record, now, then);
            while (allExpired && held.leases != null) {
                dropExpired(held.leases, now, then);
            }
        }
    }

    private void dropExpired(LeaseRecord record, Moment now, DeferredActions then) {
        record.expired(now);
        drop(record, then);
    }

    /** The holder loses its lease. */
    void drop(LeaseRecord record, Reason reason, String text, DeferredActions then) {
        record.lost(reason, text, context.nanos());
        drop(record, then);
    }

    void dropAll(HeldGrant held, Reason reason, String text, DeferredActions then) {
        while (held.leases != null) {
            drop(held.leases, reason, text, then);
        }
    }

    /** The grant leaves with its last lease, and is not released: the body may still be running. */
    private void drop(LeaseRecord lost, DeferredActions then) {
        HeldGrant held = lost.held;
        held.remove(lost);
        held.lostNotClosed++;
        // It may be lost before holdAtLeast has passed: close() ends it while the store keeps it.
        holdBack(lost);
        context.leaseLost(held.life());
        then.lost(lost);
        if (held.leases == null) {
            remove(held);
        }
    }

    /** The grant or its renewal is fresh. */
    void begun(HeldGrant fresh, DeferredActions then, Moment now) {
        serve(fresh, then, now, true);
    }

    /** A lease has left the grant. */
    void vacated(HeldGrant held, DeferredActions then, Moment now) {
        if (held.leases != null) {
            return;
        }
        if (held.lostNotClosed > 0) {
            remove(held);
        } else if (held.heldBackFor(now.nanos()) > 0) {
            release(remove(held), then, now);
        } else {
            serve(held, then, now, false);
        }
    }

    /** Releases a grant in the store; not before {@code holdAtLeast} has passed. */
    void release(HeldGrant removed, DeferredActions then, Moment now) {
        long heldBack = removed.heldBackFor(now.nanos());
        if (heldBack > 0) {
            then.releaseLater(removed, heldBack);
            if (removed.renewalsUnderWay > 0) {
                // They may lengthen what is shortened now.
                removed.shortenAgain = true;
                context.releaseAwaitsRenewal();
            }
        } else {
            then.release(removed);
        }
    }

    /** Lets the readers at the head of the queue share it. */
    void admitReaders(HeldGrant shared, DeferredActions then, Moment now) {
        Waiter head = waiters.head();
        while (head != null && head.request.units().isRead() && shared.admits(head.request.times(), now)) {
            waiters.remove(head);
            attach(head, shared, then, now);
            head = waiters.head();
        }
    }

    /** Hands a grant without leases to the first waiter, renews it for the first waiter, or releases it. */
    private void serve(HeldGrant free, DeferredActions then, Moment now, boolean fresh) {
        Waiter head = waiters.head();
        if (head == null || head.request.units().wanted() != free.units()) {
            then.release(remove(free));
            return;
        }
        switch (fit(free, head.request.times(), now, fresh)) {
            case NOW -> {
                waiters.remove(head);
                attach(head, free, then, now);
                admitReaders(free, then, now);
            }
            case AFTER_RENEWAL ->
                then.renewForWaiter(free, free.renewal(head.request.times().lease()));
            case NEVER -> then.release(remove(free));
        }
    }

    private HeldGrant.Fit fit(HeldGrant free, RequestTimes wanted, Moment now, boolean fresh) {
        long left = free.deadline().left(now);
        if (left <= 0 || !free.hasTokens() || free.revoking || context.isClosing()) {
            return HeldGrant.Fit.NEVER;
        }
        if (fresh) {
            HeldGrant.Fit fit = free.fitsFresh(wanted);
            // Not if the answer took so long that the lease would be lost before its first renewal.
            return fit == HeldGrant.Fit.NOW && left < free.length() / 3 ? HeldGrant.Fit.AFTER_RENEWAL : fit;
        }
        return now.nanos() - free.handOffEnd < 0 ? free.fits(wanted, left) : HeldGrant.Fit.NEVER;
    }
}
