package io.holdfast.jdbc.internal;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;

/** What both kinds of stores derive from a claim. */
public final class Claims {

    private static final int LARGEST_BLOCK = 64;

    private Claims() {}

    /** Whether the claim is for all units of its name, so that it excludes every other claim. */
    public static boolean isExclusive(Claim claim) {
        return claim.units() == claim.capacity();
    }

    /** How many tokens one grant of the claim reserves. */
    public static int tokens(Claim claim) {
        return Math.min(claim.tokens(), LARGEST_BLOCK);
    }

    /**
     * The grant of a block of tokens.
     *
     * @param from the moment from which the lease counts
     * @param micros how long it lasts from then on
     */
    public static Grant grant(Claim claim, long firstToken, long lastToken, Moment from, long micros) {
        return new Grant(claim, firstToken, (int) (lastToken - firstToken + 1), from, Micros.toDuration(micros));
    }
}
