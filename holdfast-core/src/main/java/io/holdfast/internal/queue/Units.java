package io.holdfast.internal.queue;

import io.holdfast.spi.Claim;

/**
 * How many units of a name a request wants, and how many there are.
 *
 * @param wanted the units that are requested
 * @param capacity the units that there are: 1 for a lock, {@link Claim#READ_WRITE}, or the permits of a semaphore
 */
public record Units(int wanted, int capacity) {

    public static final Units EXCLUSIVE = new Units(1, 1);
    public static final Units READ = new Units(1, Claim.READ_WRITE);
    public static final Units WRITE = new Units(Claim.READ_WRITE, Claim.READ_WRITE);

    /** All units: no other holder can have any meanwhile. */
    boolean isWhole() {
        return wanted == capacity;
    }

    /** A reader of a read/write lock: several readers may share one claim. */
    public boolean isRead() {
        return capacity == Claim.READ_WRITE && wanted < capacity;
    }
}
