package io.holdfast.spi.support;

import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Claims that a store remembers until they are removed, or for ten minutes. Thread-safe. */
public final class RecentClaims {

    private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);
    private static final int MANY = 1_024;

    private final Ticker ticker;
    private final Map<ClaimId, Long> since = new ConcurrentHashMap<>();

    private volatile long pruned;

    /** Remembers none yet. */
    public RecentClaims(Ticker ticker) {
        this.ticker = ticker;
        this.pruned = ticker.nanos();
    }

    /** Remembers the claim from now on. */
    public void add(ClaimId id) {
        long now = ticker.nanos();
        since.put(id, now);
        if (since.size() > MANY && now - pruned > PAUSE) {
            pruned = now;
            since.values().removeIf(then -> now - then > LONGEST);
        }
    }

    /** Forgets it. */
    public void remove(ClaimId id) {
        since.remove(id);
    }

    /** Is it remembered? */
    public boolean has(ClaimId id) {
        return since.containsKey(id);
    }
}
