package io.holdfast.internal.memory;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.LockInfos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holders and queue of one name, as a store keeps them: a state machine without clock, lock or I/O of its own. Not
 * thread-safe; time comes in with every call.
 */
public final class Ledger {

    /*
     * Invariant: the units of all holders add up to at most the capacity, and a claim is in `holders` or in `queue` or in
     * neither. Only `grant` adds a holder, and only for the head of the queue (or for a newcomer when no claim waits) and
     * only if it fits; so no claim overtakes a waiting head, and a large claim at the head is not starved by small ones.
     * A holder leaves by release, by revocation, or because `now` has reached its end; the step that makes room calls `promote`
     * in the same step, so the queue never waits for room that is there.
     */
    private static final int FEW = 8;

    private final TokenClock tokens;
    /** The first holder; the others follow by {@code next}. No collection, because a ledger is made for every name taken. */
    private @Nullable Held holders;

    private Map<ClaimId, Queued> queue = Map.of();
    /** The holders by id, once there are so many that looking through the list would take long. */
    private @Nullable Map<ClaimId, Held> byId;

    private int holderCount;
    private int capacity;
    private int unitsHeld;
    /** No holder's lease ends before; meaningful if there is one. */
    private long firstEnd;

    /** A ledger for one name, drawing from {@code tokens}. */
    public Ledger(TokenClock tokens) {
        this.tokens = tokens;
    }

    /** A claim that waits, and since when. */
    private record Queued(Claim claim, long since) {}

    /** A claim that holds the name. */
    public static final class Held {
        final Claim claim;
        private final TokenClock.Block block;
        private final long grantedAt;
        private @Nullable Held before;
        private @Nullable Held next;
        private long endsAt;
        private int units;

        private Held(Claim claim, TokenClock.Block block, long now) {
            this.claim = claim;
            this.block = block;
            this.grantedAt = now;
            this.endsAt = now + claim.lease().toNanos();
            this.units = claim.units();
        }

        /** The claim. */
        public Claim claim() {
            return claim;
        }

        /** Its tokens. */
        public TokenClock.Block block() {
            return block;
        }

        /** What is left of its lease. */
        public Duration left(long now) {
            return Duration.ofNanos(endsAt - now);
        }
    }

    /**
     * Requests the name: the record if the claim holds it (now, or already), null if it does not. A claim that waits is
     * in the queue afterwards, at its old place if it was there before.
     */
    public @Nullable Held request(Claim claim, long now, long clockMicros) {
        Held own = holder(claim.id());
        if (own != null) {
            return own;
        }
        if (isEmpty()) {
            capacity = claim.capacity();
        } else if (capacity != claim.capacity()) {
            throw RefusedException.wrongKind(claim, capacity);
        }
        if (queue.isEmpty() && fits(claim)) {
            return grant(claim, now, clockMicros);
        }
        if (claim.mode() == Claim.Mode.WAIT) {
            if (queue.isEmpty()) {
                queue = new LinkedHashMap<>();
            }
            queue.putIfAbsent(claim.id(), new Queued(claim, now));
        }
        return null;
    }

    /** Lengthens a lease, and takes units back; false if the claim does not hold the name. */
    public boolean renew(RenewalRequest renewal, long now) {
        Held held = holder(renewal.claim().id());
        if (held == null) {
            return false;
        }
        held.endsAt = now + Math.max(held.endsAt - now, renewal.lease().toNanos());
        int fewer = Math.min(held.units, renewal.claim().units());
        unitsHeld -= held.units - fewer;
        held.units = fewer;
        return true;
    }

    /** Lets a claim end after {@code lease}, and not later than it would anyway; whether it holds. */
    public boolean shorten(ClaimId id, long lease, long now) {
        Held held = holder(id);
        if (held != null) {
            held.endsAt = now + Math.min(held.endsAt - now, lease);
            firstEnd = now + Math.min(firstEnd - now, held.endsAt - now);
        }
        return held != null;
    }

    /** Ends a claim, waiting or holding; whether it held. */
    public boolean release(ClaimId id) {
        if (isQueued(id)) {
            queue.remove(id);
        }
        Held held = holder(id);
        if (held != null) {
            remove(held);
        }
        return held != null;
    }

    /** Ends the holder whose block contains {@code token}; whether there was one. */
    public boolean revoke(long token) {
        for (Held held = holders; held != null; held = held.next) {
            if (token >= held.block.first() && token - held.block.first() < held.block.size()) {
                return release(held.claim.id());
            }
        }
        return false;
    }

    /** Removes the holders whose lease has ended. */
    public void expire(long now) {
        if (holders == null || firstEnd - now > 0) {
            return;
        }
        long soonest = Long.MAX_VALUE;
        for (Held held = holders; held != null; held = held.next) {
            if (held.endsAt - now <= 0) {
                remove(held);
            } else {
                soonest = Math.min(soonest, held.endsAt - now);
            }
        }
        firstEnd = now + soonest;
    }

    /** Grants from the head of the queue while the head fits; those newly granted. */
    public List<Held> promote(long now, long clockMicros) {
        if (queue.isEmpty()) {
            return List.of();
        }
        List<Held> granted = new ArrayList<>(1);
        while (!queue.isEmpty()) {
            Claim head = queue.values().iterator().next().claim;
            if (!fits(head)) {
                break;
            }
            queue.remove(head.id());
            granted.add(grant(head, now, clockMicros));
        }
        return granted;
    }

    /** Nobody holds the name or waits for it: the ledger can go. */
    public boolean isEmpty() {
        return holders == null && queue.isEmpty();
    }

    /** Nanoseconds until a lease may end, or a little less; {@link Long#MAX_VALUE} without a holder. */
    public long nanosToFirstEnd(long now) {
        return holders == null ? Long.MAX_VALUE : firstEnd - now;
    }

    /** Does somebody wait? */
    public boolean hasQueue() {
        return !queue.isEmpty();
    }

    /** The first in the queue. */
    public @Nullable ClaimId head() {
        return queue.isEmpty() ? null : queue.keySet().iterator().next();
    }

    /** Is the claim waiting? */
    public boolean isQueued(ClaimId id) {
        return queue.containsKey(id);
    }

    /** Those whose lease has not ended. */
    public List<Held> holders(long now) {
        List<Held> list = new ArrayList<>();
        for (Held held = holders; held != null; held = held.next) {
            if (held.endsAt - now > 0) {
                list.add(held);
            }
        }
        return list;
    }

    /** For people: the holders whose leases have not expired, and the wait queue. */
    public LockInfo describe(String name, long now) {
        List<LockInfo.Holder> list = new ArrayList<>(1);
        for (Held held : holders(now)) {
            list.add(LockInfos.holder(
                    held.claim.owner(),
                    capacity,
                    held.units,
                    held.block.first(),
                    held.block.size(),
                    Duration.ofNanos(now - held.grantedAt),
                    held.left(now)));
        }
        List<LockInfo.Waiting> waiting = queue.values().stream()
                .limit(LockInfo.QUEUE_SHOWN)
                .map(queued -> new LockInfo.Waiting(queued.claim.owner(), Duration.ofNanos(now - queued.since)))
                .toList();
        return LockInfos.of(name, capacity, list, queue.size(), waiting);
    }

    private @Nullable Held holder(ClaimId id) {
        if (byId != null) {
            return byId.get(id);
        }
        for (Held held = holders; held != null; held = held.next) {
            if (held.claim.id().equals(id)) {
                return held;
            }
        }
        return null;
    }

    /** Is there room for it, and is the size right? */
    public boolean fits(Claim claim) {
        return (isEmpty() || claim.capacity() == capacity) && unitsHeld + claim.units() <= claim.capacity();
    }

    private Held grant(Claim claim, long now, long clockMicros) {
        Held held = new Held(claim, tokens.reserve(claim.tokens(), clockMicros), now);
        Held next = holders;
        firstEnd = next == null || held.endsAt - firstEnd < 0 ? held.endsAt : firstEnd;
        held.next = next;
        if (next != null) {
            next.before = held;
        }
        holders = held;
        holderCount++;
        unitsHeld += claim.units();
        index(held);
        return held;
    }

    private void index(Held added) {
        if (byId != null) {
            byId.put(added.claim.id(), added);
        } else if (holderCount > FEW) {
            byId = new HashMap<>();
            for (Held held = holders; held != null; held = held.next) {
                byId.put(held.claim.id(), held);
            }
        }
    }

    /** Leaves {@code gone.next} alone, for those who are walking along the list. */
    private void remove(Held gone) {
        Held before = gone.before;
        Held next = gone.next;
        if (before == null) {
            holders = next;
        } else {
            before.next = next;
        }
        if (next != null) {
            next.before = before;
        }
        if (byId != null) {
            byId.remove(gone.claim.id());
        }
        holderCount--;
        unitsHeld -= gone.units;
    }
}
