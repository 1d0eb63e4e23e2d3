package io.holdfast.simulator;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.support.LockInfos;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One name as a correct store keeps it: holders, wait queue, units and fencing tokens. Time comes in with every call.
 *
 * <p>It shares no code with the engine and is written as plainly as possible: two lists, and every question answered by
 * going through them. So a bug in the production ledger is not a bug here, and a comparison of the two shows it.
 */
final class NameModel {

    static final int LARGEST_BLOCK = 64;

    private final String name;
    private final Plant plant;
    private final List<Holder> holders = new ArrayList<>();
    private final List<Claim> queue = new ArrayList<>();
    /** When each claim joined the queue first. */
    private final Map<ClaimId, Long> arrivals = new HashMap<>();

    private long lastToken;

    /** How many units a planted bug takes for free although they are held; zero in a correct store. */
    private int miscounted;

    /** A claim that holds the name, with its block of tokens. */
    static final class Holder {
        final Claim claim;
        final long firstToken;
        final int tokens;
        final long grantedAt;
        long endsAt;
        int units;

        private Holder(Claim claim, long firstToken, int tokens, long grantedAt, long endsAt, int units) {
            this.claim = claim;
            this.firstToken = firstToken;
            this.tokens = tokens;
            this.grantedAt = grantedAt;
            this.endsAt = endsAt;
            this.units = units;
        }

        boolean isFor(ClaimId id) {
            return claim.id().equals(id);
        }
    }

    NameModel(String name, Plant plant) {
        this.name = name;
        this.plant = plant;
    }

    /** The same state, for a snapshot. */
    NameModel copy() {
        NameModel copy = new NameModel(name, plant);
        for (Holder each : holders) {
            copy.holders.add(
                    new Holder(each.claim, each.firstToken, each.tokens, each.grantedAt, each.endsAt, each.units));
        }
        copy.queue.addAll(queue);
        copy.arrivals.putAll(arrivals);
        copy.lastToken = lastToken;
        copy.miscounted = miscounted;
        return copy;
    }

    List<Holder> holders() {
        return holders;
    }

    List<Claim> queue() {
        return queue;
    }

    boolean isEmpty() {
        return holders.isEmpty() && queue.isEmpty();
    }

    @Nullable
    Holder holder(ClaimId id) {
        for (Holder each : holders) {
            if (each.isFor(id)) {
                return each;
            }
        }
        return null;
    }

    /** Grants the claim, now or again; null if it has to wait, and then it is in the queue if it wants to be. */
    @Nullable
    Holder ask(Claim claim, long now, long clockMicros) {
        Holder own = holder(claim.id());
        if (own != null) {
            return own;
        }
        if (!isEmpty() && capacity() != claim.capacity()) {
            throw RefusedException.wrongKind(claim, capacity());
        }
        boolean queued = queue.stream().anyMatch(each -> each.id().equals(claim.id()));
        boolean next = plant == Plant.NEWCOMERS_OVERTAKE_THE_QUEUE ? !queued : queue.isEmpty();
        if (next && fits(claim)) {
            return grant(claim, now, clockMicros);
        }
        if (claim.mode() == Claim.Mode.WAIT && !queued) {
            queue.add(claim);
            arrivals.put(claim.id(), now);
        }
        return null;
    }

    /** Lengthens the lease and takes units back; false if the claim does not hold the name. */
    boolean renew(RenewalRequest renewal, long now) {
        Holder held = holder(renewal.claim().id());
        if (held == null) {
            return false;
        }
        held.endsAt = Math.max(held.endsAt, now + renewal.lease().toNanos());
        int fewer = Math.min(held.units, renewal.claim().units());
        if (plant == Plant.DOWNGRADE_IS_COUNTED_AGAIN) {
            miscounted += held.units - fewer;
        } else {
            held.units = fewer;
        }
        return true;
    }

    /** Lets the lease end after {@code lease}, and never later than it would anyway; whether the claim holds. */
    boolean shorten(ClaimId id, long lease, long now) {
        Holder held = holder(id);
        if (held == null) {
            return false;
        }
        held.endsAt = Math.min(held.endsAt, now + lease);
        return true;
    }

    /** Ends the claim, queued or holding; whether it held. */
    boolean release(ClaimId id) {
        queue.removeIf(each -> each.id().equals(id));
        Holder held = holder(id);
        if (held == null) {
            return false;
        }
        holders.remove(held);
        miscounted += plant == Plant.RELEASED_PERMIT_COUNTED_TWICE ? held.units : 0;
        return true;
    }

    /** Ends the holder whose block has the token; the claim that did, or null. */
    @Nullable
    ClaimId revoke(long token) {
        for (Holder each : holders) {
            if (token >= each.firstToken && token < each.firstToken + each.tokens) {
                release(each.claim.id());
                return each.claim.id();
            }
        }
        return null;
    }

    /** Removes and returns the holders whose lease is over. */
    List<Holder> expire(long now) {
        List<Holder> expired = List.of();
        for (int i = holders.size() - 1; i >= 0; i--) {
            if (holders.get(i).endsAt <= now) {
                expired = expired.isEmpty() ? new ArrayList<>() : expired;
                Holder gone = holders.remove(i);
                miscounted += plant == Plant.EXPIRED_PERMIT_COUNTED_TWICE ? gone.units : 0;
                expired.add(gone);
            }
        }
        return expired;
    }

    /** Grants from the head of the queue for as long as the head fits, and returns those grants. */
    List<Holder> promote(long now, long clockMicros) {
        List<Holder> promoted = List.of();
        while (!queue.isEmpty()) {
            Claim next = queue.get(0);
            if (plant == Plant.SMALL_CLAIMS_OVERTAKE_A_LARGE_ONE) {
                next = queue.stream().filter(this::fits).findFirst().orElse(next);
            }
            if (!fits(next)) {
                break;
            }
            queue.remove(next);
            promoted = promoted.isEmpty() ? new ArrayList<>() : promoted;
            promoted.add(grant(next, now, clockMicros));
        }
        return promoted;
    }

    /** When the first of the present leases ends; {@link Long#MAX_VALUE} without any. */
    long firstEnd() {
        long first = Long.MAX_VALUE;
        for (Holder each : holders) {
            first = Math.min(first, each.endsAt);
        }
        return first;
    }

    LockInfo describe(long now) {
        int capacity = isEmpty() ? 1 : capacity();
        return LockInfos.of(
                name,
                capacity,
                holders.stream()
                        .map(each -> LockInfos.holder(
                                each.claim.owner(),
                                capacity,
                                each.units,
                                each.firstToken,
                                each.tokens,
                                Duration.ofNanos(now - each.grantedAt),
                                Duration.ofNanos(each.endsAt - now)))
                        .toList(),
                queue.size(),
                queue.stream()
                        .limit(LockInfo.QUEUE_SHOWN)
                        .map(each -> new LockInfo.Waiting(
                                each.owner(), Duration.ofNanos(now - arrivals.getOrDefault(each.id(), now))))
                        .toList());
    }

    /** Tokens start from nothing, as in a store that keeps no record of an idle name. */
    void forgetTokens() {
        lastToken = 0;
    }

    private int capacity() {
        return holders.isEmpty()
                ? queue.get(0).capacity()
                : holders.get(0).claim.capacity();
    }

    private boolean fits(Claim claim) {
        long held = -miscounted;
        for (Holder each : holders) {
            held += each.units;
        }
        return held + (plant == Plant.EVERY_CLAIM_COUNTED_AS_ONE ? 1 : claim.units()) <= claim.capacity();
    }

    /** A block never starts behind the clock, and is one token for as long as the last one is ahead of it. */
    private Holder grant(Claim claim, long now, long clockMicros) {
        int tokens = lastToken >= clockMicros ? 1 : Math.min(claim.tokens(), LARGEST_BLOCK);
        long firstToken = Math.max(lastToken + 1, clockMicros);
        lastToken = firstToken + tokens - 1;
        Holder held =
                new Holder(claim, firstToken, tokens, now, now + claim.lease().toNanos(), claim.units());
        holders.add(held);
        return held;
    }
}
