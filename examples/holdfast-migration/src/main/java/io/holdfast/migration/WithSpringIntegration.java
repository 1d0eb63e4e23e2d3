package io.holdfast.migration;

// region imports
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
// endregion

/** The lock registry of Spring Integration. */
final class WithSpringIntegration {

    private final LockRegistry<?> registry;
    private final Runnable work;

    WithSpringIntegration(LockRegistry<?> registry, Runnable work) {
        this.registry = registry;
        this.work = work;
    }

    static RedisLockRegistry open(RedisConnectionFactory connections) {
        // region open
        RedisLockRegistry registry = new RedisLockRegistry(connections, "locks", Duration.ofSeconds(10));
        // endregion
        return registry;
    }

    boolean obtain() throws InterruptedException {
        // region obtain
        Lock lock = registry.obtain("hotel:42");
        if (!lock.tryLock(3, TimeUnit.SECONDS)) {
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

    void execute() throws Exception {
        // region execute
        registry.executeLocked("hotel:42", Duration.ofSeconds(3), work::run);
        // endregion
    }
}
