package io.holdfast;

import java.time.Duration;
import java.util.List;

/**
 * Who holds a name and who waits, as the store saw it at one moment.
 *
 * @param name the lock's name
 * @param capacity how much of it there is: 1 for a lock, the permits of a semaphore, a billion for a read/write lock
 * @param holders whose leases run; empty when the name is free
 * @param waiters how many claims wait in the store. A process has at most one claim waiting for a name, however many of
 *     its threads wait behind it; a store without a queue knows of none
 * @param queue who waits, the next to be served first; at most the first {@value #QUEUE_SHOWN}. Empty if the store keeps
 *     no queue
 */
public record LockInfo(String name, int capacity, List<Holder> holders, int waiters, List<Owner> queue) {

    /** How much of a queue is shown: the count stands in {@link #waiters()}, however long the queue is. */
    public static final int QUEUE_SHOWN = 100;

    public LockInfo {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /** Is it free? */
    public boolean isFree() {
        return holders.isEmpty();
    }

    /**
     * One claim that holds the name.
     *
     * @param owner who
     * @param units how much of the capacity it has: all of it for a lock or a writer, 1 for a reader, its permits in a
     *     semaphore
     * @param firstToken the fencing token that {@link DistributedLock#forceRelease(long)} takes: the one in use if this
     *     process holds the lock, else the first of the block that the other process has
     * @param tokens how many tokens are in the block from there on: the process may pass the lock on among its threads
     * @param age how long it has held the name
     * @param remaining when the lease ends unless it is renewed
     */
    public record Holder(Owner owner, int units, long firstToken, int tokens, Duration age, Duration remaining) {}
}
