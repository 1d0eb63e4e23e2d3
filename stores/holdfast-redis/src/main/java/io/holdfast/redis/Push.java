package io.holdfast.redis;

import io.holdfast.spi.ClaimId;
import java.util.Optional;

/**
 * The message by which a waiter is told that it has the name.
 *
 * @param id the claim
 * @param token the first of its block
 * @param tokens how many there are
 * @param time when it was granted, by the server's clock
 * @param window for how many microseconds, until it is confirmed
 * @param run the identity of the server process
 * @param key where
 */
record Push(ClaimId id, long token, int tokens, long time, long window, String run, String key) {

    /** Empty if it is no message of ours. */
    static Optional<Push> parse(String text) {
        String[] parts = text.split(" ", 7);
        try {
            return parts.length < 7
                    ? Optional.empty()
                    : Optional.of(new Push(
                            ClaimId.parse(parts[0]),
                            Long.parseLong(parts[1]),
                            Integer.parseInt(parts[2]),
                            Long.parseLong(parts[3]),
                            Long.parseLong(parts[4]),
                            parts[5],
                            parts[6]));
        } catch (NumberFormatException foreign) {
            return Optional.empty();
        }
    }
}
