package io.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock with a name that many readers hold together, or one writer alone. Whoever comes first is served first: a reader
 * that comes after a waiting writer waits behind it, so neither side is starved. Thread-safe.
 *
 * <p>A writer's token is greater than that of every earlier writer and reader, and guards writes like that of an exclusive
 * lease. A reader's token may be compared with a fence, to find out that a writer has been there since, but must not
 * raise it; readers of one process may have the same.
 *
 * <p>A thread inside {@code call}, {@code run} or {@link #asReadWriteLock()} that has the write lock may enter the read
 * lock too. The other way round it would deadlock with itself, and is refused at once: attempts that do not wait are answered
 * with no, all others with a {@link HoldfastException}.
 *
 * <pre>{@code
 * DistributedReadWriteLock prices = holdfast.readWriteLock("prices");
 * int price = prices.readLock().call(lease -> table.priceOf(apple));
 * prices.writeLock().run(lease -> table.raise(lease.token(), apple));
 * }</pre>
 */
public interface DistributedReadWriteLock {

    /** The name. */
    String name();

    /** The side that many may hold. */
    DistributedLock readLock();

    /** The side that one may hold, alone. */
    DistributedLock writeLock();

    /**
     * Both sides as {@code java.util.concurrent} knows them: owned by a thread, re-entrant, without conditions. A thread
     * with the write lock that takes the read lock and then unlocks the write lock stays a reader, and no other writer
     * comes in between.
     */
    ReadWriteLock asReadWriteLock();

    /** Who holds it and how many wait, as the store sees it. */
    LockInfo inspect();
}
