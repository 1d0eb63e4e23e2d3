package io.holdfast;

/** A fence has seen a newer token: the lease that came with this one is over, and the write was not done. */
public final class StaleTokenException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    private final long token;
    private final long newest;

    /** {@code token} came, {@code newest} was there already. */
    public StaleTokenException(String lockName, String storeName, long token, long newest) {
        super(
                lockName,
                storeName,
                "Token " + token + " is stale, the fence has seen " + newest
                        + ": the lease was lost, do not repeat the write but acquire again and re-read.",
                null);
        this.token = token;
        this.newest = newest;
    }

    /** The token that was turned away. */
    public long token() {
        return token;
    }

    /** The newest token that the fence has let through. */
    public long newest() {
        return newest;
    }
}
