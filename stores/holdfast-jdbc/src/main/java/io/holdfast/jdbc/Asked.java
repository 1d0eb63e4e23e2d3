package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Ticker;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What became of the requests of claims that are not granted. A database may execute a request of a connection that is gone,
 * after the release of the same claim; so of a claim one of whose requests was not answered, the release has to leave a mark.
 * One that was refused, and whose every request was answered, has left nothing in the database.
 */
final class Asked {

    private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
    private static final int MANY = 1_024;

    private final Ticker ticker;
    private final Map<ClaimId, State> states = new ConcurrentHashMap<>();

    Asked(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * A claim that asked.
     *
     * @param claim it
     * @param since when it was first refused or failed
     * @param unsure whether a request of it may still be executed
     * @param reserves whether it may stand in the row as the next
     * @param again when it may put itself there again, on the monotonic clock
     */
    record State(Claim claim, long since, boolean unsure, boolean reserves, long again) {

        boolean mayReserve(long now) {
            return !reserves || now - again >= 0;
        }
    }

    @Nullable
    State of(ClaimId id) {
        return states.get(id);
    }

    /** The name is not free for it. */
    State refused(Claim claim) {
        return states.computeIfAbsent(claim.id(), id -> new State(claim, ticker.nanos(), false, false, 0));
    }

    void reserves(Claim claim, long again) {
        states.computeIfPresent(claim.id(), (id, state) -> new State(claim, state.since, state.unsure, true, again));
    }

    /** Nothing is known of the last request. */
    void unanswered(Claim claim) {
        long now = ticker.nanos();
        states.compute(
                claim.id(),
                (id, state) -> state == null
                        ? new State(claim, now, true, false, 0)
                        : new State(claim, state.since, true, state.reserves, state.again));
        if (states.size() > MANY) {
            states.values().removeIf(state -> now - state.since > LONGEST && state.unsure);
        }
    }

    /** It has the name; an earlier request that was not answered stays one. */
    void granted(ClaimId id) {
        states.computeIfPresent(id, (same, state) -> state.unsure ? state : null);
    }

    void forget(ClaimId id) {
        states.remove(id);
    }

    Collection<State> all() {
        return states.values();
    }
}
