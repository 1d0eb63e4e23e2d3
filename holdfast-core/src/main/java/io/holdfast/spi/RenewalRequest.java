package io.holdfast.spi;

import java.time.Duration;
import java.util.List;

/**
 * A request to renew the lease of a claim: the store lets it expire no sooner than {@code lease} from now. A renewal only ever
 * lengthens a lease, so one that arrives twice, late, or out of order does no harm.
 *
 * <p>If the claim says fewer units than it holds, the rest is released in the same atomic step: a writer becomes a
 * reader, and no other writer comes in between. Units never grow.
 *
 * @param claim a claim that was granted
 * @param lease how long from now
 */
public record RenewalRequest(Claim claim, Duration lease) {

    /** How a store answers a renewal. */
    public enum Outcome {
        /** The claim is still held, for at least the requested lease. */
        KEPT,
        /** The claim is not held any more: it expired, was released or revoked, or the store lost it. */
        GONE,
        /** The outcome is unknown; a retry is harmless. */
        UNKNOWN;

        /** Whether a single renewal was answered with {@link #KEPT}; fails if the outcome is unknown. */
        static boolean isHeld(List<Outcome> outcomes) {
            if (outcomes.size() != 1 || outcomes.get(0) == UNKNOWN) {
                throw new IllegalStateException("It is not known whether the claim is still held: " + outcomes);
            }
            return outcomes.get(0) == KEPT;
        }
    }
}
