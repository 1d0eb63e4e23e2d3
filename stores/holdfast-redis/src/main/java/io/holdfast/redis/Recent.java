package io.holdfast.redis;

import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Ticker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Claims to remember until they are released; or, if they never are, for ten minutes. */
final class Recent {

    private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);
    private static final int MANY = 1_024;

    private final Ticker ticker;
    private final Map<ClaimId, Long> since = new ConcurrentHashMap<>();

    private volatile long pruned;

    Recent(Ticker ticker) {
        this.ticker = ticker;
        this.pruned = ticker.nanos();
    }

    void add(ClaimId id) {
        long now = ticker.nanos();
        since.put(id, now);
        if (since.size() > MANY && now - pruned > PAUSE) {
            pruned = now;
            since.values().removeIf(then -> now - then > LONGEST);
        }
    }

    void remove(ClaimId id) {
        since.remove(id);
    }

    boolean has(ClaimId id) {
        return since.containsKey(id);
    }
}
