package io.holdfast.internal.queue;

import io.holdfast.LeaseLostException.Reason;
import io.holdfast.LeaseState;
import io.holdfast.internal.memory.TokenClock;
import io.holdfast.monitoring.LocalLocks;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.RenewalRequest.Outcome;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The local queue of this process for one name, and the grants that it holds. Exists while it has either. */
public final class LocalQueue {

    /*
     * Invariants, all under the mutex:
     *
     *   I1  At most one claim of this process waits in the store, however many waiters there are, and it is for as many units
     *       as the head of the queue wants. None waits while this process has, or tries to get, all units: the grant that it
     *       would wait for is here, or about to come.
     *   I2  A grant has at most one lease, except that readers share one. A lease is on a grant of its queue, so all leases
     *       together have at most the units that the store has granted.
     *   I3  If there is a waiter, a claim waits in the store, or there is a grant or an attempt for all units, which will
     *       be released, lost or answered. `restoreInvariants` ends every step, so no waiter waits in vain.
     *   I4  A grant leaves in exactly one way: released to the store, or lost. A grant that arrives when no waiter is left is
     *       released. So no grant is dropped and none is used twice.
     *   I5  No overtaking: waiters are served from the head only, a newcomer shares a reader's grant only when there is no
     *       waiter, and a single attempt is decided by the store, which refuses it while other claims wait there.
     *
     * Mutual exclusion: two leases of one grant follow each other, because the next is made after the former has left HELD
     * (I2), with a larger token of the same block; or they are readers. Leases of different grants are kept apart by the
     * store, as long as each expires for its holder before it expires in the store; `LeaseDeadline` ensures that, and every
     * local hand-off checks it again. A grant with a lost lease is not released to the store before that lease is closed,
     * because its body may still be running (`lostNotClosed`): the store keeps other processes out until the lease expires there.
     *
     * No starvation: a grant is handed over, or shared by newcomers, for one hand-off time and one block of tokens at most; then
     * it is released to the store, which serves its wait queue in order.
     *
     * The store, the user's code and the waiters are called without the mutex, by `DeferredActions`.
     */
    final QueueContext context;
    final String name;
    final int capacity;
    private final Mutex mutex = new Mutex();
    final WaiterQueue waiters = new WaiterQueue();
    final PendingClaims pendingClaims;
    final HeldGrants grants;
    private @Nullable HolderLookup holder;
    private boolean retired;

    /** Whose token it is, as far as this process can tell. */
    public enum TokenOwner {
        /** That of a present lease. */
        THAT_LEASE,
        /** Of the same block, but not that of the present lease: a forced release would hit another lease. */
        ANOTHER_LEASE,
        /** Of no grant that this process holds. */
        NOT_HERE
    }

    public LocalQueue(QueueContext context, String name, int capacity) {
        this.context = context;
        this.name = name;
        this.capacity = capacity;
        this.pendingClaims = new PendingClaims(context);
        this.grants = new HeldGrants(context, this, waiters);
    }

    public String name() {
        return name;
    }

    /** Finds the holder of the name, for exceptions. */
    public HolderLookup holder() {
        return locked(() -> {
            if (holder == null) {
                holder = new HolderLookup(context, this);
            }
            return holder;
        });
    }

    /** The first lease of this process that {@code wanted} accepts. */
    public @Nullable LeaseRecord find(Predicate<LeaseRecord> wanted) {
        return locked(() -> grants.find(wanted));
    }

    /** Adds its leases and waiters to the lists. */
    public void report(List<LocalLocks.Held> held, List<LocalLocks.Waiting> waiting) {
        locked(() -> {
            LocalReport report = new LocalReport(context.now(), held, waiting);
            report.leases(grants.latest());
            report.waiters(waiters);
            report.waiters(pendingClaims.attempts());
            return report;
        });
    }

    /** Adds a waiter. False if this queue has been removed meanwhile: use a new one. */
    public boolean join(Waiter waiter) {
        DeferredActions then = new DeferredActions(this, context);
        mutex.lock();
        try {
            if (retired) {
                return false;
            }
            Admission.enter(this, waiter, then);
            restoreInvariants(then);
        } finally {
            mutex.unlock();
        }
        then.run();
        return true;
    }

    /** Ends a wait in the way that {@code how} says. False if the waiter has been served or refused meanwhile. */
    public boolean leave(Waiter waiter, LockEvent.Kind how, @Nullable Throwable cause) {
        return step(then -> {
            PendingClaim attempt = waiter.attempt;
            if (attempt != null) {
                pendingClaims.withdrawAttempt(attempt, then);
            } else if (!waiters.remove(waiter)) {
                return false;
            }
            then.event(how, waiter, cause);
            return true;
        });
    }

    /** Ends all waits, because of {@code close()}. Leases stay. */
    public void dismissWaiters() {
        Waiter waiter = anyWaiter();
        while (waiter != null) {
            RuntimeException closed = context.exceptions().closed(name);
            if (leave(waiter, LockEvent.Kind.FAILED, closed)) {
                waiter.refused(closed);
            }
            waiter = anyWaiter();
        }
    }

    /** The store's answer to a claim: a grant, a failure, or neither for "held". Returns the claim that is to be sent now. */
    public @Nullable PendingClaim answered(PendingClaim pending, @Nullable Grant grant, @Nullable Throwable failure) {
        DeferredActions then = new DeferredActions(this, context);
        mutex.lock();
        try {
            if (pending.isWithdrawn()) {
                // Released in the store already; a grant shows that the two requests may have crossed.
                if (grant != null) {
                    then.withdraw(pending.claim);
                }
            } else if (pending.claim.mode() == Claim.Mode.TRY) {
                Admission.attempted(this, pending, grant, failure, then);
            } else if (grant != null) {
                Admission.granted(this, pending, grant, then);
            } else {
                Admission.failed(this, pending, failure, then);
            }
            restoreInvariants(then);
        } finally {
            mutex.unlock();
        }
        PendingClaim next = then.takeSend();
        then.run();
        return next;
    }

    /**
     * The holder, who has closed it, releases its lease.
     *
     * @return whether it was still the holder's, as far as the store said; null if the lease had ended before
     */
    public @Nullable CompletableFuture<Boolean> release(LeaseRecord closed) {
        DeferredActions then = new DeferredActions(this, context);
        Moment now = context.now();
        mutex.lock();
        try {
            grants.dropIfExpired(closed, now, then);
            HeldGrant its = closed.held;
            if (closed.recorded() == LeaseState.HELD) {
                grants.end(closed, "released", now);
                then.released(closed);
                grants.vacated(its, then, now);
            } else if (closed.recorded() == LeaseState.LOST) {
                its.lostNotClosed--;
                if (its.lostNotClosed == 0 && !its.current) {
                    // The last body has ended, so the store need not wait for the lease to expire.
                    grants.release(its, then, now);
                }
                then.lostLeaseClosed();
            }
            then.endOfLease();
            restoreInvariants(then);
        } finally {
            mutex.unlock();
        }
        then.run();
        return then.outcome();
    }

    /** The lease is lost. False if it had ended before. */
    public boolean lose(LeaseRecord lost, Reason reason, String text) {
        return step(then -> {
            if (lost.recorded() != LeaseState.HELD) {
                return false;
            }
            grants.drop(lost, reason, text, then);
            return true;
        });
    }

    /** The lease is lost if it has expired: every access checks that, because a timer may be late or the process was paused. */
    public void loseIfExpired(LeaseRecord lease) {
        step(then -> {
            grants.dropIfExpired(lease, context.now(), then);
            return lease.recorded() != LeaseState.HELD;
        });
    }

    /** A writer becomes a reader, and no other writer comes in between. */
    public void downgrade(LeaseRecord writer) {
        step(then -> {
            HeldGrant its = writer.held;
            if (writer.recorded() != LeaseState.HELD || !its.isWhole()) {
                return false;
            }
            Moment now = context.now();
            writer.becomeRead();
            grants.shrinkToReader(its);
            grants.admitReaders(its, then, now);
            // A renewal, which is due now, releases the other units in the store.
            its.renewing = false;
            its.nextRenewal = now.nanos();
            then.checkLeasesAt(now.nanos());
            return true;
        });
    }

    /**
     * The lease with this token is about to be released by force. From now on its grant is not handed over, whatever the outcome:
     * a revocation whose outcome is unknown may be executed later.
     */
    public TokenOwner revoking(long token) {
        return locked(() -> grants.revoking(token));
    }

    /** The store has revoked it. */
    public void revoked(long token) {
        step(then -> {
            HeldGrant its = grants.of(token);
            if (its != null && its.isUsedWith(token)) {
                grants.dropAll(its, Reason.FORCE_RELEASED, "it was released by force", then);
            }
            return true;
        });
    }

    /** Of the block that {@code token} is in: the token in use and how many follow; null if none is in use here. */
    public TokenClock.@Nullable Block tokensInUse(long token) {
        return locked(() -> grants.inUse(token));
    }

    /** Checks all leases. Returns when to check again, on the monotonic clock, or {@link RenewalPolicy#NEVER}. */
    public long checkLeases(Moment now, List<DueRenewal> due) {
        long[] next = {RenewalPolicy.NEVER};
        step(then -> {
            HeldGrant following;
            for (HeldGrant held = grants.latest(); held != null; held = following) {
                following = held.after;
                long wanted = context.renewalPolicy().check(grants, held, now, due, then);
                if (wanted != RenewalPolicy.NEVER && (next[0] == RenewalPolicy.NEVER || wanted - next[0] < 0)) {
                    next[0] = wanted;
                }
            }
            return true;
        });
        return next[0];
    }

    /** Renews a grant that began shorter than requested, if it still has a lease and no renewal was sent yet. */
    public void confirm(HeldGrant begun, Moment now, List<DueRenewal> due) {
        step(then -> {
            if (!begun.current || begun.leases == null || begun.renewing || begun.isConfirmed()) {
                return false;
            }
            begun.nextRenewal = now.nanos();
            then.checkLeasesAt(context.renewalPolicy().renewIfDue(begun, now, due, then));
            return true;
        });
    }

    /** Is a renewal that is due still needed? If not, it counts as answered. */
    public boolean isRenewalNeeded(HeldGrant due) {
        return locked(() -> due.current)
                || !step(then -> {
                    context.renewalPolicy().renewalEnded(due, then);
                    return true;
                });
    }

    /** The answer to a renewal of a grant that has leases. */
    public void renewed(DueRenewal sent, LeaseDeadline granted, Outcome outcome, @Nullable Throwable failure) {
        HeldGrant renewed = sent.held();
        step(then -> {
            context.renewalPolicy().renewalEnded(renewed, then);
            if (!renewed.current) {
                return false;
            }
            renewed.renewing = false;
            switch (outcome) {
                case KEPT -> context.renewalPolicy().renewed(renewed, sent.request(), granted);
                case GONE -> notInStore(renewed, then);
                case UNKNOWN -> context.renewalPolicy().renewalFailed(renewed, failure, then);
            }
            return true;
        });
    }

    /** The answer to a renewal that was sent to hand the grant over to a waiter with other options. */
    public void renewedForWaiter(HeldGrant renewed, RenewalRequest sent, LeaseDeadline granted, Outcome outcome) {
        step(then -> {
            if (!renewed.current) {
                // Removed before the answer came; if it was lengthened, no other step will release it.
                if (outcome == Outcome.KEPT) {
                    then.release(renewed);
                }
                return true;
            }
            switch (outcome) {
                case KEPT -> {
                    renewed.kept(sent, granted);
                    renewed.lease = Math.max(renewed.lease, granted.nanos());
                    grants.begun(renewed, then, context.now());
                }
                case GONE -> notInStore(renewed, then);
                case UNKNOWN -> then.release(grants.remove(renewed));
            }
            return true;
        });
    }

    /** The store has answered another request, so what kept it from answering a claim is over. */
    void storeAnswered() {
        step(then -> {
            pendingClaims.outageOver();
            return false;
        });
    }

    /**
     * What kept the store from answering, if nothing has come from it since. Where no holder is known, a request that
     * failed just now is the reason, too: a database that is read-only answers inspections.
     */
    public @Nullable Throwable outage() {
        return locked(() -> {
            Throwable present = pendingClaims.outage();
            boolean heldByOthers = !grants.isEmpty() || (holder != null && holder.knowsHolder());
            return present != null || heldByOthers ? present : pendingClaims.recentFailure();
        });
    }

    private @Nullable Waiter anyWaiter() {
        return locked(() -> waiters.isEmpty() ? pendingClaims.attempts().head() : waiters.head());
    }

    private <T extends @Nullable Object> T locked(Supplier<T> read) {
        mutex.lock();
        try {
            return read.get();
        } finally {
            mutex.unlock();
        }
    }

    /** One step: changes something under the mutex, restores I1 and I3, and does the rest without it. */
    private boolean step(Predicate<DeferredActions> change) {
        DeferredActions then = new DeferredActions(this, context);
        boolean changed;
        mutex.lock();
        try {
            changed = change.test(then);
            if (changed) {
                restoreInvariants(then);
            }
        } finally {
            mutex.unlock();
        }
        then.run();
        return changed;
    }

    // Everything below runs under the mutex.

    private void notInStore(HeldGrant held, DeferredActions then) {
        if (held.leases == null) {
            grants.remove(held);
        } else {
            grants.dropAll(
                    held,
                    Reason.NOT_IN_STORE,
                    "the store does not have it any more: it was released by force, or the store lost it",
                    then);
        }
    }

    private boolean maySendClaim() {
        return !pendingClaims.hasWaiting() && !grants.hasWhole() && !pendingClaims.triesWhole() && !context.isClosing();
    }

    /** The end of every step: I1, I3, and the removal of a queue that is empty. */
    private void restoreInvariants(DeferredActions then) {
        Waiter head = waiters.head();
        pendingClaims.withdrawUnlessFor(head, then);
        if (head != null) {
            // While closing, all waiters are about to be dismissed.
            HeldGrant direct = maySendClaim() ? grants.addDirectly(head, context.nanos()) : null;
            while (direct != null) {
                grants.begun(direct, then, direct.deadline().from());
                head = waiters.head();
                direct = head != null && maySendClaim() ? grants.addDirectly(head, context.nanos()) : null;
            }
            if (head != null && maySendClaim()) {
                pendingClaims.waitFor(head, then);
            }
        } else if (grants.isEmpty() && pendingClaims.isEmpty() && !retired) {
            retired = true;
            context.remove(this);
        }
    }
}
