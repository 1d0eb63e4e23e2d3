package io.holdfast.simulator;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The grants that have arrived in a process, by claim and by token: what its engine may make leases of. */
final class Receipts {

    private final Map<ClaimId, Receipt> byClaim = new HashMap<>();
    private final Map<String, TreeMap<Long, Receipt>> byToken = new HashMap<>();

    /** One grant in the hands of an engine, and what has become of it. */
    static final class Receipt {
        final Claim claim;
        final SimClient client;
        final long firstToken;
        final int tokens;
        /** When the answered request was sent, on the monotonic clock of the process. */
        final long sent;

        /** How many leases were made of it. */
        int leases;

        /** Its process has asked for its forced release. */
        boolean revoking;

        /** How many requests to shorten or to release it were sent. */
        int releases;

        /** A request to shorten it was sent. */
        boolean shortened;

        /** The store has answered to the first of them that it did not hold any more. Later answers prove nothing. */
        boolean refused;

        /** A lease with {@code holdAtLeast} was released, so the claim may end later, or by expiry. */
        boolean heldBack;

        /** In world time: until when the store must keep the name for that, as far as is known. */
        long heldBackUntil;

        private Receipt(Claim claim, SimClient client, long firstToken, int tokens, long sent) {
            this.claim = claim;
            this.client = client;
            this.firstToken = firstToken;
            this.tokens = tokens;
            this.sent = sent;
        }

        boolean hasToken(long token) {
            return token >= firstToken && token < firstToken + tokens;
        }
    }

    void arrived(Claim claim, SimClient client, long firstToken, int tokens, long sent) {
        Receipt receipt = new Receipt(claim, client, firstToken, tokens, sent);
        byClaim.put(claim.id(), receipt);
        byToken.computeIfAbsent(claim.name(), key -> new TreeMap<>()).put(firstToken, receipt);
    }

    @Nullable
    Receipt of(ClaimId claim) {
        return byClaim.get(claim);
    }

    /** The grant that the token belongs to; null if the token is in no block that has arrived in the process. */
    @Nullable
    Receipt of(String name, long token, SimClient client) {
        TreeMap<Long, Receipt> ofName = byToken.get(name);
        Map.Entry<Long, Receipt> entry = ofName == null ? null : ofName.floorEntry(token);
        return entry != null && entry.getValue().hasToken(token) && entry.getValue().client == client
                ? entry.getValue()
                : null;
    }
}
