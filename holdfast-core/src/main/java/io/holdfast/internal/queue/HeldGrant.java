package io.holdfast.internal.queue;

import io.holdfast.internal.memory.TokenClock;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the store that this process holds: the claim, its block of tokens, the deadline of its lease, and the leases
 * that use it: one after the other, or, for readers, together. All but {@link #deadline()} and {@link #failing()} is guarded
 * by the queue's mutex.
 */
public final class HeldGrant {

    /** What it takes to hand the grant over to a waiter. */
    enum Fit {
        /** It can be handed over as it is. */
        NOW,
        /** It can be handed over once a renewal has succeeded. */
        AFTER_RENEWAL,
        /** It has to be released to the store. */
        NEVER
    }

    /** A renewal that is sent only to release units need not last. */
    private static final long AT_LEAST = 1_000_000;

    /** A grant of at least this, shorter than requested, is enough to begin with if it is renewed. */
    private static final long SHORT_BEGINNING = 1_000_000_000;

    final Claim claim;
    /** The longest lease that the store has granted or renewed. */
    long lease;

    /** The longest lease that was requested, answered or not. */
    private long requestedLease;

    /** Until when it may be handed over in this process, on the monotonic clock. */
    final long handOffEnd;

    /** Links of the list of grants of the queue. */
    @Nullable
    HeldGrant before;

    @Nullable
    HeldGrant after;

    /** Is it in that list? */
    boolean current;

    /** The first of its leases; the others follow by {@link LeaseRecord#after}. */
    @Nullable
    LeaseRecord leases;

    /** How many of its leases were lost and not closed yet: their bodies may still be running. */
    int lostNotClosed;

    /** It must not be released in the store before, on the monotonic clock; meaningful if {@code heldBack}. */
    private long notBefore;

    private boolean heldBack;

    /** A forced release of it is under way: it must not be handed over meanwhile. */
    boolean revoking;

    boolean renewing;

    /** How many renewals were sent, or are about to be, and not answered. */
    int renewalsUnderWay;

    /** It was shortened while a renewal was under way: once more when the last of these is answered. */
    boolean shortenAgain;

    long nextRenewal;
    int failures;

    private int units;
    private boolean shrinking;
    private final long firstToken;
    private final int tokens;
    private int used;
    private volatile LeaseDeadline deadline;
    private volatile boolean failing;

    /** {@code sent} is the claim that was sent, and that will be released, whatever a careless store puts into its grant. */
    HeldGrant(Claim sent, Grant grant, long handOffNanos) {
        this.claim = sent;
        this.units = claim.units();
        this.lease = claim.lease().toNanos();
        this.firstToken = grant.firstToken();
        this.tokens = grant.tokens();
        this.deadline = new LeaseDeadline(
                grant.countsFrom(), Math.min(RequestTimes.nanos(grant.lease()), LeaseDeadline.LONGEST));
        this.handOffEnd = grant.countsFrom().nanos() + handOffNanos;
    }

    public LeaseDeadline deadline() {
        return deadline;
    }

    /** The lease that it had when it was granted or renewed last: a grant may be shorter than requested. */
    long length() {
        return Math.min(lease, deadline.nanos());
    }

    /** For how long the store may keep the claim from now on, if it is neither renewed nor released. */
    long life() {
        return Math.max(lease, requestedLease);
    }

    /** Has the store granted the lease that was requested? If not, the first renewal is urgent. */
    boolean isConfirmed() {
        return deadline.nanos() >= lease - lease / 10;
    }

    boolean failing() {
        return failing;
    }

    void failing(boolean failing) {
        this.failing = failing;
    }

    int units() {
        return units;
    }

    boolean isWhole() {
        return units == claim.capacity();
    }

    void add(LeaseRecord record) {
        LeaseRecord first = leases;
        record.after = first;
        if (first != null) {
            first.before = record;
        }
        leases = record;
    }

    void remove(LeaseRecord record) {
        LeaseRecord previous = record.before;
        LeaseRecord next = record.after;
        if (previous == null) {
            leases = next;
        } else {
            previous.after = next;
        }
        if (next != null) {
            next.before = previous;
        }
        record.before = null;
        record.after = null;
    }

    long nextToken() {
        return firstToken + used++;
    }

    /** The token of those who use it now: readers who share it share that too. */
    long sharedToken() {
        return firstToken + used - 1;
    }

    boolean isFresh() {
        return used == 0;
    }

    boolean hasTokens() {
        return used < tokens;
    }

    int tokensLeft() {
        return tokens - used;
    }

    boolean hasInBlock(long token) {
        return token >= firstToken && token - firstToken < tokens;
    }

    boolean isUsedWith(long token) {
        return leases != null && leases.token == token;
    }

    /** The token in use and how many follow; null if no lease uses it. */
    TokenClock.@Nullable Block tokensInUse() {
        return leases == null ? null : new TokenClock.Block(leases.token, 1 + tokensLeft());
    }

    /** A renewal only lengthens: answers may come in any order. Returns whether it did. */
    boolean extend(LeaseDeadline renewed) {
        if (renewed.endNanos() - deadline.endNanos() > 0) {
            deadline = renewed;
            return true;
        }
        return false;
    }

    /** The writer is a reader from now on; the next renewals release its other units in the store, until one succeeds. */
    void shrinkToReader() {
        units = Units.READ.wanted();
        shrinking = true;
    }

    boolean isShrinking() {
        return shrinking;
    }

    RenewalRequest renewal(long leaseNanos) {
        requestedLease = Math.max(requestedLease, leaseNanos);
        Claim kept = units == claim.units() ? claim : claim.withUnits(units);
        return new RenewalRequest(kept, Duration.ofNanos(Math.max(leaseNanos, AT_LEAST)));
    }

    /** The store has renewed it. Returns whether that has moved its deadline. */
    boolean kept(RenewalRequest sent, LeaseDeadline granted) {
        failures = 0;
        failing = false;
        if (sent.claim().units() == units) {
            shrinking = false;
        }
        return extend(granted);
    }

    /** Keeps it from other processes until {@code nanos}, although no lease uses it any more. */
    void holdBackUntil(long nanos) {
        if (!heldBack || nanos - notBefore > 0) {
            notBefore = nanos;
            heldBack = true;
        }
    }

    /** How long it has to be kept from other processes after {@code now}; not positive if it need not. */
    long heldBackFor(long now) {
        return heldBack ? notBefore - now : 0;
    }

    /**
     * May one more reader use it, beside those who do? Only until the end of the local hand-off, so that a writer in another
     * process gets its turn, and only if what is left is enough for a lease that is renewed. A grant that is not renewed is not
     * shared: it has to expire in time.
     */
    boolean admits(RequestTimes wanted, Moment now) {
        long left = deadline.left(now);
        return leases != null
                && leases.request.times().renewed()
                && !leases.isForgotten()
                && !isWhole()
                && !revoking
                && now.nanos() - handOffEnd < 0
                && wanted.renewed()
                && wanted.lease() == lease
                && left >= length() / 3
                && left >= wanted.holdAtLeast();
    }

    /**
     * The grant or its renewal is fresh, so a lease gets all of it. A grant that was found again after an unknown outcome may
     * have less, and so may one that a store hands over to a waiter by a notification; the latter is enough for a lease that is
     * renewed, since its first renewal comes in time.
     */
    Fit fitsFresh(RequestTimes wanted) {
        if (wanted.lease() == lease) {
            boolean enough =
                    wanted.renewed() && deadline.nanos() >= SHORT_BEGINNING && deadline.nanos() >= wanted.holdAtLeast();
            return isConfirmed() || enough ? Fit.NOW : Fit.AFTER_RENEWAL;
        }
        return wanted.lease() > lease ? Fit.AFTER_RENEWAL : Fit.NEVER;
    }

    /** It was granted or renewed a while ago: a lease that is not renewed needs all of it, others a third. */
    Fit fits(RequestTimes wanted, long left) {
        Fit fresh = fitsFresh(wanted);
        if (fresh != Fit.NOW) {
            return fresh;
        }
        boolean enough = left >= length() / 3 && left >= wanted.holdAtLeast();
        return wanted.renewed() && enough ? Fit.NOW : Fit.AFTER_RENEWAL;
    }
}
