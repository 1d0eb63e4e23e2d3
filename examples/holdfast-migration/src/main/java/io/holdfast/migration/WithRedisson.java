package io.holdfast.migration;

// region imports
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
// endregion

/** Locks of Redisson. */
final class WithRedisson {

    private final RedissonClient redisson;
    private final Runnable work;

    WithRedisson(RedissonClient redisson, Runnable work) {
        this.redisson = redisson;
        this.work = work;
    }

    static RedissonClient open() {
        // region open
        Config config = new Config();
        config.useSingleServer().setAddress("redis://localhost:6379");
        RedissonClient redisson = Redisson.create(config);
        // endregion
        return redisson;
    }

    void watchdog() {
        // region watchdog
        RLock lock = redisson.getLock("hotel:42");
        lock.lock(); // 30 s, renewed by the watchdog every 10 s
        try {
            work.run();
        } finally {
            lock.unlock();
        }
        // endregion
    }

    boolean fixedLease() throws InterruptedException {
        // region fixed-lease
        RLock lock = redisson.getLock("hotel:42");
        if (!lock.tryLock(3, 10, TimeUnit.SECONDS)) { // wait 3 s; a lease of 10 s disables the watchdog
            return false;
        }
        try {
            work.run();
            return true;
        } finally {
            lock.unlock();
        }
        // endregion
    }

    void fenced(TokenWriter rooms) {
        // region fenced
        RFencedLock lock = redisson.getFencedLock("hotel:42");
        long token = lock.lockAndGetToken();
        try {
            rooms.reserve(token, "Ada");
        } finally {
            lock.unlock();
        }
        // endregion
    }

    void readWrite() {
        // region read-write
        RReadWriteLock prices = redisson.getReadWriteLock("prices");
        prices.readLock().lock();
        try {
            work.run();
        } finally {
            prices.readLock().unlock();
        }
        // endregion
    }

    void permits() throws InterruptedException {
        // region permits
        RPermitExpirableSemaphore printers = redisson.getPermitExpirableSemaphore("printers");
        printers.trySetPermits(3);
        String permit = printers.acquire(10, TimeUnit.SECONDS); // a lease of 10 s, not renewed
        try {
            work.run();
        } finally {
            printers.release(permit);
        }
        // endregion
    }

    void several() {
        // region several
        RLock both = redisson.getMultiLock(redisson.getLock("account:1"), redisson.getLock("account:2"));
        both.lock();
        try {
            work.run();
        } finally {
            both.unlock();
        }
        // endregion
    }

    /** What the lock guards. */
    interface TokenWriter {
        void reserve(long token, String guest);
    }
}
