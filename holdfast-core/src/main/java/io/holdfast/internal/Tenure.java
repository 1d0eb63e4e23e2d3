package io.holdfast.internal;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;

/**
 * One grant for as long as this process has it: the claim, its block of tokens, and what is left of the lease. Several
 * holds may use it, one after the other. All but {@link #term()} and {@link #failing()} is guarded by the line's mutex.
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

    final Claim claim;
    /** The longest lease that was asked for: what the store may keep the name for if this process dies. */
    long lease;
    /** When the cohort's turn is over, on the monotonic clock. */
    final long sliceEnd;

    /** Somebody is taking it away by force: it must not be passed on meanwhile. */
    boolean revoking;

    boolean renewing;
    boolean adjusting;
    long nextRenewal;
    int failures;

    private final long firstToken;
    private final int tokens;
    private int used;
    private volatile Term term;
    private volatile boolean failing;

    Tenure(Grant grant, long slice) {
        this.claim = grant.claim();
        this.lease = claim.lease().toNanos();
        this.firstToken = grant.firstToken();
        this.tokens = grant.tokens();
        this.term = new Term(grant.countsFrom(), Math.min(Terms.nanos(grant.lease()), Term.LONGEST));
        this.sliceEnd = grant.countsFrom().nanos() + slice;
    }

    Term term() {
        return term;
    }

    boolean failing() {
        return failing;
    }

    void failing(boolean failing) {
        this.failing = failing;
    }

    long nextToken() {
        return firstToken + used++;
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

    /** A renewal only lengthens: answers may come in any order. */
    void extend(Term renewed) {
        if (renewed.endNanos() - term.endNanos() > 0) {
            term = renewed;
        }
    }

    /**
     * The term began just now, by grant or renewal: what it has is what a lease gets. A grant that was found again after an
     * unknown outcome may have less.
     */
    Fit fitsFresh(Terms wanted) {
        if (wanted.lease() == lease) {
            return term.nanos() >= lease - lease / 10 ? Fit.NOW : Fit.AFTER_RENEWAL;
        }
        return wanted.lease() > lease ? Fit.AFTER_RENEWAL : Fit.NEVER;
    }

    /** The term has run for a while: a lease that is not renewed needs all of it, others a third. */
    Fit fits(Terms wanted, long left) {
        Fit fresh = fitsFresh(wanted);
        if (fresh != Fit.NOW) {
            return fresh;
        }
        boolean enough = left >= lease / 3 && left >= wanted.holdAtLeast();
        return wanted.renewed() && enough ? Fit.NOW : Fit.AFTER_RENEWAL;
    }
}
