package io.holdfast.internal;

import io.holdfast.LeaseState;
import io.holdfast.spi.DurationText;
import io.holdfast.spi.Moment;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One lease on a tenure. It refers to the user's {@link HeldLease} weakly, so that a lease which became unreachable without
 * being closed is found and no longer renewed.
 */
final class Hold extends WeakReference<HeldLease> {

    private static final AtomicIntegerFieldUpdater<Hold> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "closed");

    final Line line;
    final Tenure tenure;
    final Terms terms;
    final long token;
    final long since;
    /** The thread that waited for it; null if none did. */
    final @Nullable Thread caller;

    final StackTraceElement @Nullable [] site;

    /** The thread without which nobody can give this back; set by {@code asLock()}. */
    volatile @Nullable Thread owner;

    /** The body to interrupt when the lease is lost. */
    volatile @Nullable BodyRun body;

    volatile boolean warned;

    /** Its holder has never seen it, so it is not held for {@code holdAtLeast}. */
    volatile boolean unseen;

    private volatile boolean forgotten;

    /** When a forgotten lease is over, on the monotonic clock, even if readers who share its tenure renew that. */
    private volatile long forgottenEnd;

    /** Is it a reader's lease? A writer's becomes one when it is downgraded. */
    volatile boolean read;

    // Links of the tenure's holds, guarded by the line's mutex.

    @Nullable
    Hold before;

    @Nullable
    Hold after;

    /** Set by CLOSED. */
    private volatile int closed;

    /** HELD, LOST or RELEASED; AT_RISK is worked out. Leaves HELD under the line's mutex. */
    private volatile LeaseState state = LeaseState.HELD;

    private volatile String reason = "";

    /** On the monotonic clock. */
    private volatile long lostAt;

    Hold(HeldLease lease, Line line, Tenure tenure, Waiter waiter, long token, long now) {
        super(lease);
        this.line = line;
        this.tenure = tenure;
        this.terms = waiter.wish.terms();
        this.read = waiter.wish.share().isRead();
        this.token = token;
        this.since = now;
        this.caller = waiter.caller;
        this.site = waiter.site;
    }

    /** What is left of the lease; not positive when it is over. */
    long left(Moment now) {
        long byStore = forgotten
                ? Math.min(tenure.term().left(now), forgottenEnd - now.nanos())
                : tenure.term().left(now);
        return terms.maxHold() == Terms.NO_END ? byStore : Math.min(byStore, terms.maxHold() - (now.nanos() - since));
    }

    /** Why {@link #left} is not positive. */
    String whyOver(Moment now) {
        if (forgotten) {
            return "it had become unreachable without being closed";
        }
        if (terms.maxHold() != Terms.NO_END && now.nanos() - since >= terms.maxHold()) {
            return "it reached maxHold (" + DurationText.of(terms.maxHold()) + ")";
        }
        return terms.renewed()
                ? "its deadline passed without a successful renewal"
                : "its time was over and renewal is off";
    }

    /** When it will be over unless renewed, on the monotonic clock. */
    long endNanos() {
        long byStore = forgotten ? forgottenEnd : tenure.term().endNanos();
        if (terms.maxHold() == Terms.NO_END) {
            return byStore;
        }
        long byOption = since + terms.maxHold();
        return byOption - byStore < 0 ? byOption : byStore;
    }

    /** Is the lease long enough already, so that renewing it would go beyond {@code maxHold}? */
    boolean reachesMaxHold() {
        return terms.maxHold() != Terms.NO_END && tenure.term().endNanos() - (since + terms.maxHold()) >= 0;
    }

    /** How long the next renewal should ask for. */
    long renewalLength(Moment now) {
        if (terms.maxHold() == Terms.NO_END) {
            return terms.lease();
        }
        return Math.min(terms.lease(), terms.maxHold() - (now.nanos() - since) + Term.margin(terms.lease()));
    }

    /** When the Keeper has to look first, on the monotonic clock. */
    long firstLook(long warnAfter) {
        long next = endNanos();
        if (terms.renewed() && tenure.nextRenewal - next < 0) {
            next = tenure.nextRenewal;
        }
        return since + warnAfter - next < 0 ? since + warnAfter : next;
    }

    LeaseState recorded() {
        return state;
    }

    String reason() {
        return reason;
    }

    void released(String why) {
        reason = why;
        state = LeaseState.RELEASED;
    }

    /** It is lost; {@code now} is when that was found, which may be long after its deadline. */
    void lost(String why, long now) {
        long deadline = endNanos();
        lostAt = deadline - now < 0 ? deadline : now;
        reason = why;
        state = LeaseState.LOST;
    }

    /** How long it was held until it was lost. */
    long heldUntilLost() {
        return lostAt - since;
    }

    /** The user gives it back: true for the first to say so, who then has to release it. */
    boolean close() {
        return CLOSED.compareAndSet(this, 0, 1);
    }

    /** Has its holder given it back? */
    boolean isClosed() {
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
    boolean isForgotten() {
        return forgotten;
    }

    /** Does its holder need renewals? */
    boolean isRenewed() {
        return terms.renewed() && !forgotten && !reachesMaxHold();
    }

    /** {@code com.shop.Checkout.reserve(Checkout.java:42)}, or why that is not known. */
    String acquiredAt() {
        return Sites.describe(site);
    }
}
