package io.holdfast.lab;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A map of {@link ReentrantLock}s that removes a lock when no thread uses it, as it is often written by hand. It is here to
 * be seen failing:
 *
 * <ul>
 *   <li>The wait is a number of milliseconds, passed as microseconds: three seconds become three milliseconds.
 *   <li>{@code finally} unlocks even if the lock was not acquired, so a timeout is reported as an
 *       {@link IllegalMonitorStateException}.
 *   <li>Finding a lock and counting its user are two steps. If the last other user releases between them, the lock is
 *       removed while it is about to be used; the next caller gets another lock, and two critical sections run at once.
 *   <li>An interruption is caught with everything else: the interrupt flag is lost, and the caller does not learn of it.
 * </ul>
 */
final class LockPerKey {

    private final ConcurrentMap<String, CountedLock> locks;

    LockPerKey() {
        this(new ConcurrentHashMap<>());
    }

    LockPerKey(ConcurrentMap<String, CountedLock> locks) {
        this.locks = locks;
    }

    /** Runs {@code body}, meant to be the only one at a time for {@code key}. */
    @SuppressWarnings("DurationToLongTimeUnit") // Error Prone finds the wrong unit; here it is meant to stay.
    <T> T call(String key, Duration maxWait, Callable<T> body) throws TimeoutException {
        CountedLock lock = locks.computeIfAbsent(key, absent -> new CountedLock());
        lock.users.incrementAndGet();
        try {
            if (lock.mutex.tryLock(maxWait.toMillis(), TimeUnit.MICROSECONDS)) {
                return body.call();
            }
        } catch (Exception e) {
            throw new IllegalStateException("The body of " + key + " failed", e);
        } finally {
            if (lock.users.decrementAndGet() == 0) {
                locks.remove(key, lock);
            }
            lock.mutex.unlock();
        }
        throw new TimeoutException("Timed out waiting for " + key + " within " + maxWait);
    }

    /** A lock and the number of threads that hold it or wait for it. */
    static final class CountedLock {
        private final ReentrantLock mutex = new ReentrantLock();
        private final AtomicInteger users = new AtomicInteger();
    }
}
