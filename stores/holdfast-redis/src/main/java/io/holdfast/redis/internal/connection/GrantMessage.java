package io.holdfast.redis.internal.connection;

import io.holdfast.spi.ClaimId;
import java.util.Optional;

/**
 * The pub/sub message that notifies a waiter that it was granted the name.
 *
 * @param id the claim
 * @param token the first of its tokens
 * @param tokens how many tokens it has
 * @param time when it was granted, by the server's clock
 * @param window for how many microseconds, unless the grant is confirmed
 * @param runId the identity of the server process
 * @param key the key of the name
 */
public record GrantMessage(ClaimId id, long token, int tokens, long time, long window, String runId, String key) {

    /** Empty if Holdfast has not sent it. */
    public static Optional<GrantMessage> parse(String text) {
        String[] parts = text.split(" ", 7);
        try {
            return parts.length < 7
                    ? Optional.empty()
                    : Optional.of(new GrantMessage(
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
