package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.HeldLocks;
import io.holdfast.benchmarks.kit.LockGuard;
import io.holdfast.benchmarks.kit.Locks;
import java.util.List;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson with its default settings, but for the lease. */
final class RedissonLocks implements HeldLocks {

    private final int port;
    private final RedissonClient client;
    private final BiFunction<RedissonClient, String, RLock> kind;

    private RedissonLocks(int port, BiFunction<RedissonClient, String, RLock> kind) {
        Config config = new Config().setLockWatchdogTimeout(LEASE_MILLIS);
        config.useSingleServer().setAddress("redis://127.0.0.1:" + port);
        client = Redisson.create(config);
        this.port = port;
        this.kind = kind;
    }

    static Locks unfair(int port) {
        return new RedissonLocks(port, RedissonClient::getLock);
    }

    static Locks fair(int port) {
        return new RedissonLocks(port, RedissonClient::getFairLock);
    }

    @Override
    public Guard guard(String name) {
        return new LockGuard(kind.apply(client, name));
    }

    /** Over another connection, for its own may be busy with renewals. */
    @Override
    public long held(List<String> names) {
        return new BareCommands(port).held(names);
    }
}
