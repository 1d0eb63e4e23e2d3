package io.holdfast;

import io.holdfast.monitoring.LockInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A distributed read/write lock: held by many readers together, or by one writer alone. A reader that arrives after a waiting
 * writer waits behind it, so neither side starves. Thread-safe.
 *
 * <p>A writer's token is greater than that of every earlier writer and reader, and fences writes like that of an exclusive
 * lease. A reader's token may be compared with a fence, to detect that a writer has written since, but must not
 * raise it; readers of one process may have the same.
 *
 * <p>A thread inside {@code call}, {@code run} or {@link #asReadWriteLock()} that has the write lock may enter the read
 * lock too. The other way round it would deadlock with itself, and is refused at once: single attempts are
 * refused like any other, all others throw {@link SelfDeadlockException}.
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
     * Both sides as a {@code java.util.concurrent.locks.ReadWriteLock}: owned by a thread, re-entrant, without conditions. A thread
     * with the write lock that acquires the read lock and then unlocks the write lock stays a reader, and no other writer
     * comes in between.
     */
    ReadWriteLock asReadWriteLock();

    /** The holders and waiters, as the store sees them. */
    LockInfo inspect();

    /** As {@link #inspect()}, without a waiting thread. */
    CompletableFuture<LockInfo> inspectAsync();
}
