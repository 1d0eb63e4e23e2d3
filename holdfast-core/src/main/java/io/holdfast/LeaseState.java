package io.holdfast;

/** What a {@link Lease} knows about itself: {@code HELD → AT_RISK → LOST}, or {@code RELEASED}. */
public enum LeaseState {
    /** The store keeps the lock for this lease. */
    HELD,
    /** Still held, but renewals fail; unless one succeeds, the lease will be lost at its deadline. */
    AT_RISK,
    /** Over, against the holder's will: somebody else may hold the lock by now. */
    LOST,
    /** Given back by the holder. */
    RELEASED
}
