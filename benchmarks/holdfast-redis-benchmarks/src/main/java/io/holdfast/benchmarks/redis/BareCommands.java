package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.HeldLocks;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.UUID;

/** The two commands that a lock cannot do without, one after the other on one connection; what they answer is ignored. */
final class BareCommands implements HeldLocks {

    /** Atomic because Redis runs scripts one at a time: nobody can take the key between the look and the removal. */
    private static final String DELETE_IF_OURS =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";

    private final StatefulRedisConnection<String, String> connection;
    private final String script;

    BareCommands(int port) {
        connection = RedisClient.create(RedisURI.create("127.0.0.1", port)).connect();
        script = connection.sync().scriptLoad(DELETE_IF_OURS);
    }

    @Override
    public Guard guard(String name) {
        return new BareGuard(connection.sync(), script, name, UUID.randomUUID().toString());
    }

    @Override
    public long held(List<String> names) {
        return connection.sync().exists(names.toArray(String[]::new));
    }

    private record BareGuard(RedisCommands<String, String> commands, String script, String name, String owner)
            implements Guard {

        @Override
        public void acquire() {
            commands.set(name, owner, SetArgs.Builder.nx().px(LEASE_MILLIS));
        }

        @Override
        public void release() {
            commands.evalsha(script, ScriptOutputType.INTEGER, new String[] {name}, owner);
        }
    }
}
