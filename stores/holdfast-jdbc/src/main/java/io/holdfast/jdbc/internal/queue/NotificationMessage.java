package io.holdfast.jdbc.internal.queue;

import io.holdfast.spi.ClaimId;
import org.jspecify.annotations.Nullable;

/**
 * A notification to one waiting claim.
 *
 * @param claim whom it is for
 * @param grant null if the claim has not got the name, and shall try to acquire it
 */
public record NotificationMessage(ClaimId claim, @Nullable Granted grant) {

    /** What a notification begins with that hands over the name, and one that does not. */
    public static final String GRANTED = "G";

    public static final String TURN = "T";

    /**
     * The name belongs to the claim.
     *
     * @param firstToken the first of its tokens
     * @param lastToken the last
     * @param grantedAt since when, by the clock of the database, in microseconds
     * @param endsAt until when, unless it is renewed
     */
    public record Granted(long firstToken, long lastToken, long grantedAt, long endsAt) {}

    /** Null if somebody else has sent it. */
    public static @Nullable NotificationMessage parse(String text) {
        try {
            String[] turn = text.split("\t", 3);
            if (turn.length == 3 && turn[0].equals(TURN)) {
                return new NotificationMessage(ClaimId.parse(turn[1]), null);
            }
            String[] parts = text.split("\t", 7);
            return parts.length == 7 && parts[0].equals(GRANTED)
                    ? new NotificationMessage(
                            ClaimId.parse(parts[1]),
                            new Granted(number(parts[2]), number(parts[3]), number(parts[4]), number(parts[5])))
                    : null;
        } catch (NumberFormatException foreign) {
            return null;
        }
    }

    public static String turn(String claim, String name) {
        return TURN + "\t" + claim + "\t" + name;
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }
}
