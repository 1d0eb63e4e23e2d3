package io.holdfast.internal.queue;

import io.holdfast.LeaseLostException;
import io.holdfast.LeaseLostException.Reason;
import io.holdfast.LeaseState;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Moment;
import io.holdfast.spi.support.DurationText;
import io.holdfast.spi.support.LockInfos;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The state of one lease. It refers to the user's {@link LeaseHandle} weakly, so that a lease which became unreachable without
 * being closed is found and no longer renewed.
 */
public final class LeaseRecord extends WeakReference<LeaseHandle> {

    private static final AtomicIntegerFieldUpdater<LeaseRecord> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(LeaseRecord.class, "closed");

    final LocalQueue queue;
    final HeldGrant held;
    final LockRequest request;
    final long token;
    final long since;
    /** The thread that waited for it; null if none did. */
    final @Nullable Thread caller;

    final StackTraceElement @Nullable [] callSite;

    /** The only thread that can release it; set by {@code asLock()}. */
    private volatile @Nullable Thread owner;

    /** Interrupts the body when the lease is lost. */
    private volatile @Nullable Runnable interrupt;

    private volatile boolean warned;

    /** No code has seen it, so it is not held for {@code holdAtLeast}. */
    private volatile boolean unseen;

    private volatile boolean forgotten;

    /** When a forgotten lease expires, on the monotonic clock, even if readers who share its grant renew that. */
    private volatile long forgottenEnd;

    /** Is it a reader's lease? A writer's becomes one when it is downgraded. */
    private volatile boolean read;

    // Links of the grant's leases, guarded by the queue's mutex.

    @Nullable
    LeaseRecord before;

    @Nullable
    LeaseRecord after;

    /** Set by CLOSED. */
    private volatile int closed;

    /** HELD, LOST or RELEASED; AT_RISK is derived. Leaves HELD under the queue's mutex. */
    private volatile LeaseState state = LeaseState.HELD;

    // How it ended; written before `state` and read after it, which publishes them.

    private @Nullable Reason reason;
    private String reasonText = "";

    /** On the monotonic clock. */
    private long endedAt;

    public LeaseRecord(LeaseHandle handle, LocalQueue queue, HeldGrant held, Waiter waiter, long token, long now) {
        super(handle);
        this.queue = queue;
        this.held = held;
        this.request = waiter.request;
        this.read = waiter.request.units().isRead();
        this.token = token;
        this.since = now;
        this.caller = waiter.caller;
        this.callSite = waiter.callSite;
    }

    public LocalQueue queue() {
        return queue;
    }

    public String name() {
        return queue.name();
    }

    public String label() {
        return request.options().label();
    }

    public long token() {
        return token;
    }

    public @Nullable Thread caller() {
        return caller;
    }

    /** When it began, on the monotonic clock. */
    public long since() {
        return since;
    }

    public int capacity() {
        return held.claim.capacity();
    }

    public LockInfo.Mode mode() {
        return switch (LockInfos.kind(capacity())) {
            case LOCK -> LockInfo.Mode.EXCLUSIVE;
            case SEMAPHORE -> LockInfo.Mode.PERMITS;
            case READ_WRITE_LOCK -> read ? LockInfo.Mode.READ : LockInfo.Mode.WRITE;
        };
    }

    public boolean isRead() {
        return read;
    }

    void becomeRead() {
        read = true;
    }

    public @Nullable Thread owner() {
        return owner;
    }

    public void ownedBy(Thread thread) {
        owner = thread;
    }

    /** {@code interruption} runs when the lease is lost. */
    public void interruptOnLoss(Runnable interruption) {
        interrupt = interruption;
    }

    void interruptBody() {
        Runnable interruption = interrupt;
        if (interruption != null) {
            interruption.run();
        }
    }

    /** It is not logged as held for long: its holder, a leader, is meant to hold it for long. */
    public void suppressWarning() {
        warned = true;
    }

    boolean isWarned() {
        return warned;
    }

    public void markUnseen() {
        unseen = true;
    }

    boolean isUnseen() {
        return unseen;
    }

    /** What is left of the lease; not positive when it has expired. */
    public long left(Moment now) {
        long byStore = forgotten
                ? Math.min(held.deadline().left(now), forgottenEnd - now.nanos())
                : held.deadline().left(now);
        return hasMaxHold() ? Math.min(byStore, maxHold() - (now.nanos() - since)) : byStore;
    }

    /** When it expires unless renewed, on the monotonic clock. */
    long endNanos() {
        long byStore = forgotten ? forgottenEnd : held.deadline().endNanos();
        if (!hasMaxHold()) {
            return byStore;
        }
        long byOption = since + maxHold();
        return byOption - byStore < 0 ? byOption : byStore;
    }

    boolean hasMaxHold() {
        return maxHold() != RequestTimes.NO_END;
    }

    long maxHold() {
        return request.times().maxHold();
    }

    /** A renewal of its grant has failed, and none has succeeded since. */
    public boolean isAtRisk() {
        return held.failing();
    }

    /** How long it was held, until {@code now} at the latest. */
    public long heldNanos(long now) {
        return (state == LeaseState.HELD ? now : endedAt) - since;
    }

    public LeaseState recorded() {
        return state;
    }

    public String reason() {
        return state == LeaseState.HELD ? "" : reasonText;
    }

    void released(String why, long now) {
        endedAt = now;
        reasonText = why;
        state = LeaseState.RELEASED;
    }

    /** It has expired: {@link #left} is not positive. */
    void expired(Moment now) {
        if (forgotten) {
            lost(Reason.UNREACHABLE, "it had become unreachable without being closed", now.nanos());
        } else if (hasMaxHold() && now.nanos() - since >= maxHold()) {
            lost(Reason.MAX_HOLD_REACHED, "it reached maxHold (" + DurationText.of(maxHold()) + ")", now.nanos());
        } else {
            lost(
                    Reason.EXPIRED,
                    request.times().renewed()
                            ? "its deadline passed without a successful renewal"
                            : "it expired and renewal is off",
                    now.nanos());
        }
    }

    /** It is lost; {@code now} is when that was found, which may be long after its deadline. */
    void lost(Reason why, String text, long now) {
        long deadline = endNanos();
        endedAt = deadline - now < 0 ? deadline : now;
        reason = why;
        reasonText = text;
        state = LeaseState.LOST;
    }

    /** For a lease that was lost. */
    public LeaseLostException lossException(String storeName) {
        return new LeaseLostException(
                name(),
                storeName,
                token,
                reason == null ? Reason.RELEASED : reason,
                "The lease (token " + token + ") was lost " + DurationText.of(endedAt - since)
                        + " after it was acquired: " + reasonText
                        + ". Work done under it may overlap with the next holder; check it, or guard writes by the"
                        + " fencing token.");
    }

    /** The user releases it: true for the first call, which then has to release it. */
    public boolean close() {
        return CLOSED.compareAndSet(this, 0, 1);
    }

    /** Has its holder released it? */
    public boolean isClosed() {
        return closed != 0;
    }

    /** The only thread that may release it has ended, and with it the critical section. */
    boolean isOwnerDead() {
        Thread thread = owner;
        return thread != null && !thread.isAlive();
    }

    /** True once: when the lease is found to be unreachable, so that no code can release it. */
    boolean becameUnreachable() {
        if (forgotten || !refersTo(null)) {
            return false;
        }
        forgottenEnd = endNanos();
        forgotten = true;
        return true;
    }

    /**
     * Is it unreachable? Its critical section may still be running, because code needs no reference to a lease in order to work
     * under it. So it is not released; it is not renewed either, and expires.
     */
    public boolean isForgotten() {
        return forgotten;
    }

    /** The stack frames that acquired it; null if they were not recorded. */
    public StackTraceElement @Nullable [] callSite() {
        return callSite;
    }
}
