package io.holdfast.jdbc.internal.queue;

import io.holdfast.spi.ClaimId;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a notification to one pending claim.
 *
 * @param claim the addressee
 * @param grant null if the name was not handed over, and the claim has to request it
 */
public record NotificationMessage(ClaimId claim, @Nullable Granted grant) {

    /** The first field of a notification that hands over the name, and of one that only wakes the claim. */
    public static final String GRANTED = "G";

    public static final String TURN = "T";

    /**
     * The name was handed over to the claim.
     *
     * @param firstToken the first of its tokens
     * @param lastToken the last
     * @param grantedAt since when, by the clock of the database, in microseconds
     * @param endsAt until when, unless it is renewed
     */
    public record Granted(long firstToken, long lastToken, long grantedAt, long endsAt) {}

    /** Null if the text is not a notification of Holdfast. */
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
