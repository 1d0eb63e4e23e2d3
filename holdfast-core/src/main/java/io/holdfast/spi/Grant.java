package io.holdfast.spi;

import java.time.Duration;

/**
 * A claim that was granted.
 *
 * @param claim what was granted
 * @param firstToken the first fencing token of the block; greater than every token granted for the name before
 * @param tokens how many tokens the block has, at least 1; the store never gives them to anybody else
 * @param countsFrom when the request that was answered left this process (not when the answer came)
 * @param lease how long the store keeps the claim, counted from {@code countsFrom}. For a record that was found again
 *     after an unknown outcome: what the store says is left of it. A store that hands the name to a waiter of which it does
 *     not know whether it still lives may grant it a shorter lease than requested; the first renewal grants the rest
 */
public record Grant(Claim claim, long firstToken, int tokens, Moment countsFrom, Duration lease) {

    public Grant {
        if (tokens < 1) {
            throw new IllegalArgumentException("A grant has at least one token: tokens=" + tokens);
        }
    }
}
