package io.holdfast.samples;

// region rows
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
// endregion

/** Stands in for a database: what all clients of a {@link TableStore} share. */
public final class LockTable {

    // region rows
    /** The server's clock, the only one that says whether a lease has ended. */
    final InstantSource clock;

    /** By name. */
    final Map<String, Row> rows = new TreeMap<>();

    /** The claims that were given back lately, the oldest first. */
    final Map<ClaimId, Instant> released = new LinkedHashMap<>();

    record Row(Claim claim, long firstToken, int tokens, Instant grantedAt, Instant endsAt) {

        boolean isHeld(Instant now) {
            return endsAt.isAfter(now);
        }

        boolean isHeldBy(Claim other, Instant now) {
            return isHeld(now) && claim.id().equals(other.id());
        }

        Row endingAt(Instant end) {
            return new Row(claim, firstToken, tokens, grantedAt, end);
        }
    }
    // endregion

    /** An empty table on a server with this clock. */
    public LockTable(InstantSource clock) {
        this.clock = clock;
    }
}
