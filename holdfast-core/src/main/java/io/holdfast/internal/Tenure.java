package io.holdfast.internal;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One grant for as long as this process has it: the claim, its block of tokens, what is left of the lease, and the holds
 * that use it: one after the other, or, for readers, together. All but {@link #term()} and {@link #failing()} is guarded
 * by the line's mutex.
 */
final class Tenure {

    /** What passing the grant to a waiter would take. */
    enum Fit {
        /** It can be passed as it is. */
        NOW,
        /** It can be passed once a renewal has succeeded. */
        AFTER_RENEWAL,
        /** It has to go back to the store. */
        NEVER
    }

    /** A renewal that is sent only to give units back need not last. */
    private static final long AT_LEAST = 1_000_000;

    /** A grant of at least this, shorter than it was asked for, is enough to begin with if it is renewed. */
    private static final long SHORT_BEGINNING = 1_000_000_000;

    final Claim claim;
    /** The longest lease that the store has granted or renewed. */
    long lease;

    /** The longest lease that was asked for, answered or not. */
    private long askedFor;

    /** When the cohort's turn is over, on the monotonic clock. */
    final long sliceEnd;

    /** Links of the line's list of tenures. */
    @Nullable
    Tenure before;

    @Nullable
    Tenure after;

    /** Is it in the line's list? */
    boolean current;

    /** The first of its holds; the others follow by {@link Hold#after}. */
    @Nullable
    Hold holds;

    /** How many of its leases were lost and not closed yet: their bodies may still be running. */
    int ghosts;

    /** The store must not have it back before, on the monotonic clock; meaningful if {@code heldBack}. */
    private long notBefore;

    private boolean heldBack;

    /** Somebody is taking it away by force: it must not be passed on meanwhile. */
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
    private volatile Term term;
    private volatile boolean failing;

    /** {@code asked} is what was sent, and what will be released, whatever a careless store puts into its grant. */
    Tenure(Claim asked, Grant grant, long slice) {
        this.claim = asked;
        this.units = claim.units();
        this.lease = claim.lease().toNanos();
        this.firstToken = grant.firstToken();
        this.tokens = grant.tokens();
        this.term = new Term(grant.countsFrom(), Math.min(Terms.nanos(grant.lease()), Term.LONGEST));
        this.sliceEnd = grant.countsFrom().nanos() + slice;
    }

    Term term() {
        return term;
    }

    /** What it had when it was granted or renewed last: a grant may be shorter than it was asked for. */
    long length() {
        return Math.min(lease, term.nanos());
    }

    /** For how long the store may keep the claim from now on, if it is neither renewed nor released. */
    long life() {
        return Math.max(lease, askedFor);
    }

    /** Has the store promised all that was asked for? If not, the first renewal is urgent. */
    boolean isConfirmed() {
        return term.nanos() >= lease - lease / 10;
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

    void add(Hold hold) {
        Hold first = holds;
        hold.after = first;
        if (first != null) {
            first.before = hold;
        }
        holds = hold;
    }

    void remove(Hold hold) {
        Hold previous = hold.before;
        Hold next = hold.after;
        if (previous == null) {
            holds = next;
        } else {
            previous.after = next;
        }
        if (next != null) {
            next.before = previous;
        }
        hold.before = null;
        hold.after = null;
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
        return holds != null && holds.token == token;
    }

    /** The token in use and how many follow; null if nobody uses it. */
    TokenClock.@Nullable Block tokensInUse() {
        return holds == null ? null : new TokenClock.Block(holds.token, 1 + tokensLeft());
    }

    /** A renewal only lengthens: answers may come in any order. Returns whether it did. */
    boolean extend(Term renewed) {
        if (renewed.endNanos() - term.endNanos() > 0) {
            term = renewed;
            return true;
        }
        return false;
    }

    /** The writer is a reader from now on; the store is told by the next renewals, until one succeeds. */
    void shrinkToReader() {
        units = Share.READ.units();
        shrinking = true;
    }

    boolean isShrinking() {
        return shrinking;
    }

    RenewalRequest renewal(long leaseNanos) {
        askedFor = Math.max(askedFor, leaseNanos);
        Claim kept = units == claim.units() ? claim : claim.withUnits(units);
        return new RenewalRequest(kept, Duration.ofNanos(Math.max(leaseNanos, AT_LEAST)));
    }

    /** The store has renewed it. Returns whether that has moved its deadline. */
    boolean kept(RenewalRequest sent, Term granted) {
        failures = 0;
        failing = false;
        if (sent.claim().units() == units) {
            shrinking = false;
        }
        return extend(granted);
    }

    /** Keeps it from others until {@code nanos}, although nobody uses it any more. */
    void holdBackUntil(long nanos) {
        if (!heldBack || nanos - notBefore > 0) {
            notBefore = nanos;
            heldBack = true;
        }
    }

    /** How long it has to be kept from others after {@code now}; not positive if it need not. */
    long heldBackFor(long now) {
        return heldBack ? notBefore - now : 0;
    }

    /**
     * May one more reader use it, beside those who do? Only for one slice, so that a writer in another process gets its
     * turn, and only if what is left is enough for a lease that is renewed. One that is not renewed is not shared: it has to
     * end in time.
     */
    boolean admits(Terms wanted, Moment now) {
        long left = term.left(now);
        return holds != null
                && holds.terms.renewed()
                && !holds.isForgotten()
                && !isWhole()
                && !revoking
                && now.nanos() - sliceEnd < 0
                && wanted.renewed()
                && wanted.lease() == lease
                && left >= length() / 3
                && left >= wanted.holdAtLeast();
    }

    /**
     * The term began just now, by grant or renewal: what it has is what a lease gets. A grant that was found again after an
     * unknown outcome may have less, and so has one that a store gives to a waiter without having been asked just now; the
     * latter is enough for a lease that is renewed, since its first renewal comes in time.
     */
    Fit fitsFresh(Terms wanted) {
        if (wanted.lease() == lease) {
            boolean enough =
                    wanted.renewed() && term.nanos() >= SHORT_BEGINNING && term.nanos() >= wanted.holdAtLeast();
            return isConfirmed() || enough ? Fit.NOW : Fit.AFTER_RENEWAL;
        }
        return wanted.lease() > lease ? Fit.AFTER_RENEWAL : Fit.NEVER;
    }

    /** The term has run for a while: a lease that is not renewed needs all of it, others a third. */
    Fit fits(Terms wanted, long left) {
        Fit fresh = fitsFresh(wanted);
        if (fresh != Fit.NOW) {
            return fresh;
        }
        boolean enough = left >= length() / 3 && left >= wanted.holdAtLeast();
        return wanted.renewed() && enough ? Fit.NOW : Fit.AFTER_RENEWAL;
    }
}
