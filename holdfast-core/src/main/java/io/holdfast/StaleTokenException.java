package io.holdfast;

import java.time.Duration;

/** A fence has seen a newer token, or may have: the lease that came with this one is over, and the write was not done. */
public final class StaleTokenException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    private final long token;
    private final long newest;

    /** {@code token} came, {@code newest} was there already. */
    public StaleTokenException(String lockName, String storeName, long token, long newest) {
        this(
                lockName,
                storeName,
                token,
                newest,
                "Token " + token + " is stale, the fence has seen " + newest
                        + ": the lease was lost, do not repeat the write but acquire again and re-read.");
    }

    private StaleTokenException(String lockName, String storeName, long token, long newest, String message) {
        super(lockName, storeName, message, null);
        this.token = token;
        this.newest = newest;
    }

    /**
     * {@code token} came, and the fence remembers none: it may have seen a newer one, for it forgets after
     * {@code retention}. Tokens from {@code oldest} on would have been let through.
     */
    public static StaleTokenException tooOld(
            String lockName, String storeName, long token, long oldest, Duration retention) {
        return new StaleTokenException(
                lockName,
                storeName,
                token,
                oldest,
                "Token " + token + " is older than the fence's retention of " + retention
                        + ", so the fence cannot tell whether a later holder has written: do not repeat the write but"
                        + " acquire again and re-read, and set a maxHold below the retention.");
    }

    /** The token that was turned away. */
    public long token() {
        return token;
    }

    /** The newest token that the fence has let through; if it has forgotten which, the oldest that it would let through. */
    public long newest() {
        return newest;
    }
}
