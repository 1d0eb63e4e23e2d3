package io.holdfast.simulator;

import io.holdfast.spi.ClaimId;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Every grant of a history in world time. Unlike the server it forgets nothing, so it decides what is excused. */
final class GrantHistory {

    private final Map<String, TreeMap<Long, Entry>> byToken = new HashMap<>();
    private final Map<ClaimId, Entry> byClaim = new HashMap<>();
    private boolean complete = true;

    /** One grant: what the server promised, and when it broke that promise, if it did. */
    static final class Entry {
        private final long firstToken;
        private final int tokens;
        /** When the promise was made that reaches furthest. */
        private long promisedAt;

        private long promisedUntil;
        private long droppedAt = Long.MAX_VALUE;
        private boolean back;

        private Entry(long firstToken, int tokens) {
            this.firstToken = firstToken;
            this.tokens = tokens;
        }

        /** When the server took the lease away before its end; {@link Long#MAX_VALUE} if it did not. */
        long droppedAt() {
            return droppedAt;
        }

        /** Has the server had the same claim again after it had dropped it? Then renewals have succeeded again. */
        boolean isBack() {
            return back;
        }
    }

    void granted(String name, ClaimId claim, long firstToken, int tokens, long now, long until) {
        Entry entry = new Entry(firstToken, tokens);
        entry.promisedAt = now;
        entry.promisedUntil = until;
        byToken.computeIfAbsent(name, key -> new TreeMap<>()).put(firstToken, entry);
        Entry before = byClaim.put(claim, entry);
        if (before != null) {
            before.back = true;
        }
    }

    /** A grant was answered again, or renewed. */
    void promised(ClaimId claim, long now, long until) {
        Entry entry = byClaim.get(claim);
        if (entry != null && until >= entry.promisedUntil) {
            entry.promisedAt = now;
            entry.promisedUntil = until;
        }
    }

    /** Its holder needs it no longer than that. */
    void shortened(ClaimId claim, long until) {
        Entry entry = byClaim.get(claim);
        if (entry != null) {
            entry.promisedUntil = Math.min(entry.promisedUntil, until);
        }
    }

    /** The server took it away by force, or lost it. */
    void dropped(ClaimId claim, long now) {
        complete = false;
        Entry entry = byClaim.get(claim);
        if (entry != null) {
            entry.droppedAt = Math.min(entry.droppedAt, now);
        }
    }

    /** A replica still has it. */
    void restored(String name, long firstToken) {
        Entry entry = of(name, firstToken);
        if (entry != null && entry.droppedAt != Long.MAX_VALUE) {
            entry.back = true;
        }
    }

    /** Something was lost that may come back: a claim that ended, or that waited. */
    void incomplete() {
        complete = false;
    }

    /**
     * A lease is over on the server. If that is earlier than promised, and since the promise something happened at
     * {@code upset} that can end leases early, the server has dropped it; without such an event nothing is excused.
     */
    void expired(ClaimId claim, long now, long upset) {
        Entry entry = byClaim.get(claim);
        if (entry != null && now < entry.promisedUntil && entry.promisedAt <= upset) {
            entry.droppedAt = Math.min(entry.droppedAt, now);
        }
    }

    /** Has the server kept everything so far? */
    boolean isComplete() {
        return complete;
    }

    @Nullable
    Entry of(String name, long token) {
        TreeMap<Long, Entry> ofName = byToken.get(name);
        Map.Entry<Long, Entry> entry = ofName == null ? null : ofName.floorEntry(token);
        return entry == null || token >= entry.getValue().firstToken + entry.getValue().tokens
                ? null
                : entry.getValue();
    }

    /**
     * Had the server dropped the grant of that token by {@code now}? Then a second holder is not the engine's fault. How
     * long the first may go on believing is limited by {@link LeaseRules}.
     */
    boolean isDropped(String name, long token, long now) {
        Entry entry = of(name, token);
        return entry != null && entry.droppedAt <= now;
    }
}
