package io.holdfast.internal;

import io.holdfast.spi.Claim;

/**
 * How much of a name somebody wants, and how much there is.
 *
 * @param units what is wanted
 * @param capacity what there is: 1 for a lock, {@link Claim#READ_WRITE}, or the permits of a semaphore
 */
record Share(int units, int capacity) {

    static final Share EXCLUSIVE = new Share(1, 1);
    static final Share READ = new Share(1, Claim.READ_WRITE);
    static final Share WRITE = new Share(Claim.READ_WRITE, Claim.READ_WRITE);

    /** Everything there is: nobody else has a part meanwhile. */
    boolean isWhole() {
        return units == capacity;
    }

    /** A reader of a read/write lock: several of them may use one claim. */
    boolean isRead() {
        return capacity == Claim.READ_WRITE && units < capacity;
    }
}
