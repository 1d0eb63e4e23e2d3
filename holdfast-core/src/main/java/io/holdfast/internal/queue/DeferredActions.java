package io.holdfast.internal.queue;

import io.holdfast.LeaseLostException.Reason;
import io.holdfast.internal.memory.DirectStore;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Claim;
import io.holdfast.spi.RenewalRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What one step of a local queue leaves to be done when its mutex is free: calls to the store, to waiters, to listeners. Events are
 * added to the buffers of the listeners at once, under the mutex, which keeps them in order.
 */
final class DeferredActions {

    private static final CompletableFuture<Boolean> YES = CompletableFuture.completedFuture(true);
    private static final CompletableFuture<Boolean> NO = CompletableFuture.completedFuture(false);

    private final LocalQueue queue;
    private final QueueContext context;
    private final boolean listened;

    // What nearly every step does has a field; all else is a list of things to do.
    private @Nullable Waiter served;
    private @Nullable Claim release;
    private @Nullable Claim delayed;
    private long releaseLife;
    private long releaseDelay;
    private @Nullable PendingClaim send;
    private @Nullable LeaseRecord released;
    private @Nullable List<Runnable> others;
    /** A store in this process was called already, and {@code stillOurs} is its answer. */
    private boolean releasedDirectly;

    private boolean stillOurs = true;
    private boolean ended;
    private boolean announced;
    private CompletableFuture<Boolean> outcome = YES;

    DeferredActions(LocalQueue queue, QueueContext context) {
        this.queue = queue;
        this.context = context;
        this.listened = context.events().hasListeners();
    }

    void serve(Waiter waiter, LeaseHandle lease, LockEvent.Kind how) {
        endOfLease();
        LeaseRecord record = lease.record();
        waiter.given = lease;
        waiter.checkLeaseAt = context.renewalPolicy().firstCheckAt(record);
        if (listened) {
            context.events().add(how, waiter, record.token, null);
        }
        if (served == null) {
            served = waiter;
        } else {
            also(() -> deliver(waiter));
        }
    }

    /** {@code why} is null if the name is held. */
    void refuse(Waiter waiter, @Nullable RuntimeException why) {
        event(why == null ? LockEvent.Kind.REFUSED : LockEvent.Kind.FAILED, waiter, why);
        also(() -> waiter.refused(why));
    }

    /** Ends a claim that was not granted, as far as is known. */
    void withdraw(Claim claim) {
        announceRelease();
        also(() -> context.actions().withdraw(claim));
    }

    /** The queue may be removed before the release is sent: without this, {@code close()} would find nothing to wait for. */
    private void announceRelease() {
        if (!announced) {
            announced = true;
            context.releaseAnnounced();
        }
    }

    /** A store in this process is called at once, so that its answer is known before the next step of the queue. */
    void release(HeldGrant held) {
        long life = held.life();
        if (isReleasing()) {
            announceRelease();
            also(() -> {
                var unused = context.actions().release(held.claim, life);
            });
            return;
        }
        DirectStore direct = context.directStore();
        Boolean done = direct == null ? null : direct.releaseNow(held.claim);
        if (done == null) {
            announceRelease();
            release = held.claim;
            releaseLife = life;
        } else {
            releasedDirectly = true;
            stillOurs = done;
        }
    }

    void releaseLater(HeldGrant held, long delay) {
        announceRelease();
        long life = held.life();
        if (isReleasing()) {
            also(() -> {
                var unused = context.actions().releaseLater(held.claim, life, delay);
            });
        } else {
            delayed = held.claim;
            releaseLife = life;
            releaseDelay = delay;
        }
    }

    private boolean isReleasing() {
        return release != null || delayed != null || releasedDirectly;
    }

    void shortenAgain(HeldGrant held) {
        long rest = held.heldBackFor(context.nanos());
        also(() -> context.actions().shortenAgain(held.claim, rest));
    }

    void send(PendingClaim claim) {
        if (send == null) {
            send = claim;
        } else {
            also(() -> context.actions().send(queue, claim));
        }
    }

    void resend(PendingClaim claim) {
        also(() -> context.actions().resend(queue, claim));
    }

    void renewForWaiter(HeldGrant held, RenewalRequest renewal) {
        also(() -> context.actions().renewForWaiter(queue, held, renewal));
    }

    void confirm(HeldGrant held) {
        also(() -> context.actions().confirm(queue, held));
    }

    void checkLeasesAt(long nanos) {
        also(() -> context.actions().checkLeasesAt(nanos));
    }

    /** The holder has released its lease. */
    void released(LeaseRecord record) {
        released = record;
    }

    /** The end of a released lease is an event now, before the begin of the next lease, unless the store has to be called for it. */
    void endOfLease() {
        LeaseRecord record = released;
        if (record != null && !ended && release == null && delayed == null) {
            ended = true;
            outcome = concluded(record) ? YES : NO;
        }
    }

    /** The critical section of a lost lease has ended. */
    void lostLeaseClosed() {
        also(context.actions()::lostLeaseClosed);
    }

    void lost(LeaseRecord record) {
        if (listened) {
            context.events()
                    .add(
                            LockEvent.Kind.LOST,
                            record,
                            record.lossException(context.exceptions().storeName()));
        }
        also(() -> notifyLost(record));
    }

    private void notifyLost(LeaseRecord record) {
        record.interruptBody();
        LeaseHandle lease = record.get();
        if (lease != null) {
            lease.notifyLost();
        }
        context.events().logLost(record);
        context.actions().leaseEnded();
    }

    void ownerDied(LeaseRecord record) {
        happened(LockEvent.Kind.FORGOTTEN, record, null);
        happened(LockEvent.Kind.RELEASED, record, null);
        also(() -> {
            context.events().logOwnerDied(record);
            context.actions().leaseEnded();
        });
    }

    void forgotten(LeaseRecord record) {
        happened(LockEvent.Kind.FORGOTTEN, record, null);
        also(() -> context.events().logForgotten(record));
    }

    void heldTooLong(LeaseRecord record) {
        also(() -> context.events().logHeldTooLong(record));
    }

    void renewalFailed(LeaseRecord record, @Nullable Throwable cause, boolean firstTime) {
        long retryAt = record.held.nextRenewal;
        happened(LockEvent.Kind.RENEWAL_FAILED, record, cause);
        if (firstTime) {
            happened(LockEvent.Kind.AT_RISK, record, cause);
        }
        also(() -> {
            context.actions().checkLeasesAt(retryAt);
            if (firstTime) {
                context.events().logRenewalFailed(record, cause);
            }
        });
    }

    /** The claim to send, for a caller that sends it itself after {@link #run()}. */
    @Nullable
    PendingClaim takeSend() {
        PendingClaim claim = send;
        send = null;
        return claim;
    }

    /** Does it all; the waiter comes first, because it is the one who waits. */
    void run() {
        if (!announced) {
            act();
            return;
        }
        try {
            act();
        } finally {
            context.actions().releaseSent();
        }
    }

    private void act() {
        if (served != null) {
            deliver(served);
        }
        if (release != null) {
            conclude(context.actions().release(release, releaseLife));
        } else if (delayed != null) {
            conclude(context.actions().releaseLater(delayed, releaseLife, releaseDelay));
        }
        if (send != null) {
            context.actions().send(queue, send);
        }
        if (others != null) {
            others.forEach(Runnable::run);
        }
        if (released != null) {
            context.actions().leaseEnded();
        }
        if (listened) {
            context.events().deliver();
        }
    }

    /** After {@link #run()}: whether the lease that was released was still the holder's; null if no lease was released. */
    @Nullable
    CompletableFuture<Boolean> outcome() {
        return released == null ? null : outcome;
    }

    private void conclude(CompletableFuture<Optional<Boolean>> answer) {
        LeaseRecord record = released;
        if (record == null || ended) {
            return;
        }
        ended = true;
        if (answer.isDone()) {
            outcome = concludedLater(record, answer.join()) ? YES : NO;
        } else {
            outcome = answer.thenApply(known -> concludedLater(record, known));
        }
    }

    private boolean concludedLater(LeaseRecord record, Optional<Boolean> answer) {
        boolean ours = answer.orElse(true);
        if (ours) {
            happened(LockEvent.Kind.RELEASED, record, null);
        } else {
            lostAtRelease(record);
            notifyLost(record);
        }
        if (listened) {
            context.events().deliver();
        }
        return ours;
    }

    /** An unknown outcome is no loss: the lease had not expired at the time of the call. */
    private boolean concluded(LeaseRecord record) {
        if (stillOurs) {
            happened(LockEvent.Kind.RELEASED, record, null);
        } else {
            lostAtRelease(record);
            also(() -> notifyLost(record));
        }
        return stillOurs;
    }

    private void lostAtRelease(LeaseRecord record) {
        record.lost(Reason.NOT_IN_STORE, "the store did not have it any more when it was released", context.nanos());
        if (listened) {
            context.events()
                    .add(
                            LockEvent.Kind.LOST,
                            record,
                            record.lossException(context.exceptions().storeName()));
        }
    }

    private void deliver(Waiter waiter) {
        LeaseHandle lease = waiter.given;
        if (lease != null) {
            waiter.served(lease);
            context.actions().checkLeasesAt(waiter.checkLeaseAt);
        }
    }

    void event(LockEvent.Kind kind, Waiter waiter, @Nullable Throwable cause) {
        if (listened) {
            context.events().add(kind, waiter, 0, cause);
        }
    }

    private void happened(LockEvent.Kind kind, LeaseRecord record, @Nullable Throwable cause) {
        if (listened) {
            context.events().add(kind, record, cause);
        }
    }

    private void also(Runnable other) {
        if (others == null) {
            others = new ArrayList<>(2);
        }
        others.add(other);
    }
}
