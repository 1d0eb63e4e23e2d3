package io.holdfast.monitoring;

import java.time.Duration;
import java.util.List;

/**
 * The holders and waiters of one name, as the store saw them at one moment.
 *
 * @param name the lock's name
 * @param kind what the name is in use as
 * @param permits how many permits a semaphore has; 1 for a lock, 0 for a read/write lock, whose readers are not limited
 * @param holders the claims whose leases have not expired; empty if the name is free
 * @param waiters how many claims wait in the store. A process has at most one claim waiting for a name, however many of
 *     its threads wait in its local queue; a store without a wait queue reports none
 * @param queue the waiting claims, the next to be served first; at most the first {@value #QUEUE_SHOWN}. Empty if the store has
 *     no wait queue
 */
public record LockInfo(String name, Kind kind, int permits, List<Holder> holders, int waiters, List<Waiting> queue) {

    /** How many claims of a wait queue are reported; {@link #waiters()} counts all of them. */
    public static final int QUEUE_SHOWN = 100;

    public LockInfo {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /** Has the name no holder? */
    public boolean isFree() {
        return holders.isEmpty();
    }

    /** What a name is in use as. A name has one kind at a time. */
    public enum Kind {
        LOCK,
        READ_WRITE_LOCK,
        SEMAPHORE
    }

    /** How a claim holds a name. */
    public enum Mode {
        /** A lock. */
        EXCLUSIVE,
        /** The read lock of a read/write lock. */
        READ,
        /** The write lock of a read/write lock. */
        WRITE,
        /** Permits of a semaphore. */
        PERMITS
    }

    /**
     * One claim that holds the name.
     *
     * @param owner the process and the acquisition
     * @param mode how it holds the name
     * @param permits how many permits of a semaphore it has; 1 for all other modes
     * @param token the fencing token that {@code forceRelease} takes: the one in use if this process holds the lock, else the first
     *     of the block that the other process has
     * @param tokenCount how many tokens are in the block from there on: a process may hand the lock over among its threads
     * @param age how long it has held the name
     * @param remaining when the lease expires unless it is renewed
     */
    public record Holder(
            Owner owner, Mode mode, int permits, long token, int tokenCount, Duration age, Duration remaining) {}

    /**
     * One claim that waits in the store.
     *
     * @param owner the process and the acquisition
     * @param waited how long it has waited in the store
     */
    public record Waiting(Owner owner, Duration waited) {}
}
