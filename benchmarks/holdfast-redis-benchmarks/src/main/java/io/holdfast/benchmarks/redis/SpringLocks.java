package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.LockGuard;
import io.holdfast.benchmarks.kit.Locks;
import java.time.Duration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's registry on Lettuce, with its default settings, but for the lease; it does not renew. */
final class SpringLocks implements Locks {

    private static final String REGISTRY = "spring";

    private final RedisLockRegistry registry;

    private SpringLocks(int port, RedisLockType type) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", port);
        connections.afterPropertiesSet();
        connections.start();
        registry = new RedisLockRegistry(connections, REGISTRY, Duration.ofMillis(LEASE_MILLIS));
        registry.setRedisLockType(type);
    }

    static Locks spin(int port) {
        return new SpringLocks(port, RedisLockType.SPIN_LOCK);
    }

    static Locks pubSub(int port) {
        return new SpringLocks(port, RedisLockType.PUB_SUB_LOCK);
    }

    @Override
    public Guard guard(String name) {
        return new LockGuard(registry.obtain(name));
    }
}
