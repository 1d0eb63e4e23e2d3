package io.holdfast.spi;

import java.time.Duration;
import java.util.List;

/**
 * A wish to keep a claim: the store shall not end it before {@code lease} has passed from now. A renewal only ever
 * lengthens, so that one which arrives twice, late, or out of order does no harm.
 *
 * <p>If the claim says fewer units than it holds, the rest is given back in the same atomic step: a writer becomes a
 * reader without letting another writer in between. Units never grow.
 *
 * @param claim a claim that was granted
 * @param lease how long from now
 */
public record Renewal(Claim claim, Duration lease) {

    /** What a store says to a renewal. */
    public enum Outcome {
        /** The claim is still there, for at least the lease asked for. */
        KEPT,
        /** The claim is not there any more: it expired, was released or revoked, or the store lost it. */
        GONE,
        /** The store cannot tell; asking again is harmless. */
        UNKNOWN;

        /** Whether a single renewal was answered with {@link #KEPT}; fails if the store could not tell. */
        static boolean isHeld(List<Outcome> outcomes) {
            if (outcomes.size() != 1 || outcomes.get(0) == UNKNOWN) {
                throw new IllegalStateException("The store could not tell whether the claim still holds: " + outcomes);
            }
            return outcomes.get(0) == KEPT;
        }
    }
}
