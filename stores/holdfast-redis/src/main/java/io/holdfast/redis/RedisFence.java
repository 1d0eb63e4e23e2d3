package io.holdfast.redis;

import io.holdfast.Lease;
import io.holdfast.redis.internal.connection.LettuceVersion;
import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.redis.internal.script.FenceRunner;
import io.holdfast.redis.internal.script.LockKeys;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;

/**
 * Checks fencing tokens for data in Redis: rejects a write whose token is older than the newest one that has written under
 * the same lock, to whichever key.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.on(connection);
 * String stock = RedisFence.key("apples", "stock");          // stock:{apples}
 * try (Lease lease = holdfast.lock("apples").acquire()) {
 *     // StaleTokenException: a later holder has written
 *     fence.of(lease).run(FencedCommand.of("SET").keys(stock).args("7"));
 * }
 * }</pre>
 *
 * <p><b>One mark for each lock.</b> The newest token is kept in a mark, {@code holdfast:fence:{apples}}, in the hash slot
 * of the lock's name, for a {@linkplain #withRetention retention} after the last guarded write. When there is no mark,
 * tokens older than the retention are rejected too: set {@code maxHold} of the lock below the retention. A server that
 * evicts keys may evict marks: use {@code noeviction}. A failover that loses writes may lose marks with them.
 *
 * <p><b>One lock for each key.</b> All writers of a key have to use the fence, with leases of the same lock: the tokens
 * of two locks cannot be compared. The lock is an exclusive lock, one of a set, a write lock or an election. Readers of a
 * read/write lock hold their leases together, so they may {@linkplain FencedWriter#check() check} but not write: a
 * write would reject the readers with smaller tokens. The same applies to the permits of a semaphore, which fence nothing.
 *
 * <p><b>LockKeys.</b> In a Cluster all keys of a script must be in one hash slot, so a key outside the slot of the lock is
 * refused with an {@code IllegalArgumentException} before anything is sent. A key is in the slot if it contains the
 * lock's name as its hash tag, as those of {@link #key} do, or if it equals the name. One server has no such limit, and
 * any key is accepted there: a script is atomic over all of them, and data that exists can be guarded under the keys that
 * it has. Use keys in the lock's slot from the start if the data may move to a Cluster.
 *
 * <p>Thread-safe and immutable. The connection belongs to the caller: it is never closed here, and must not be in a
 * transaction ({@code MULTI}), which a guarded write does not need.
 */
public final class RedisFence {

    private static final Duration SHORTEST_RETENTION = Duration.ofMinutes(1);
    private static final Duration LONGEST_RETENTION = Duration.ofDays(365);

    /** Larger numbers are not exact in a script. In microseconds it is the year 2255. */
    private static final long LARGEST_TOKEN = (1L << 53) - 1;

    private final StatefulConnection<String, String> connection;
    private final RedisScriptingAsyncCommands<String, String> commands;
    private final Duration retention;
    private final String keyPrefix;

    private RedisFence(
            StatefulConnection<String, String> connection,
            RedisScriptingAsyncCommands<String, String> commands,
            Duration retention,
            String keyPrefix) {
        this.connection = connection;
        this.commands = commands;
        this.retention = retention;
        this.keyPrefix = keyPrefix;
    }

    /** A fence for data on one server, or on the master that Sentinel or a replica setup leads to. */
    public static RedisFence on(StatefulRedisConnection<String, String> connection) {
        LettuceVersion.check();
        return new RedisFence(connection, connection.async(), Duration.ofDays(1), StoreSettings.DEFAULTS.keyPrefix());
    }

    /** A fence for data in a Cluster. */
    public static RedisFence on(StatefulRedisClusterConnection<String, String> connection) {
        LettuceVersion.check();
        return new RedisFence(connection, connection.async(), Duration.ofDays(1), StoreSettings.DEFAULTS.keyPrefix());
    }

    /**
     * The same fence with another retention: how long the mark of a lock exists after the last guarded write, and how old
     * a token may be when there is no mark. A day by default; from a minute to 365 days. All that write under a lock have
     * to use the same.
     */
    public RedisFence withRetention(Duration retention) {
        if (retention.compareTo(SHORTEST_RETENTION) < 0 || retention.compareTo(LONGEST_RETENTION) > 0) {
            throw new IllegalArgumentException(
                    "retention must be from " + SHORTEST_RETENTION + " to " + LONGEST_RETENTION + ": " + retention);
        }
        return new RedisFence(connection, commands, retention, keyPrefix);
    }

    /**
     * The same fence with marks that begin with another prefix than {@code holdfast}. It keeps locks of the same name
     * apart that come from different stores, or from one Redis with different {@linkplain RedisStoreBuilder#keyPrefix
     * prefixes}. All that write under a lock have to use the same.
     */
    public RedisFence withKeyPrefix(String keyPrefix) {
        return new RedisFence(
                connection,
                commands,
                retention,
                StoreSettings.DEFAULTS.withKeyPrefix(keyPrefix).keyPrefix());
    }

    /** Executes commands if the lease's token is not stale for the lease's lock. */
    public FencedWriter of(Lease lease) {
        return of(lease.name(), lease.token());
    }

    /** As {@link #of(Lease)}, for a token that was sent to this process by the one that holds the lease. */
    public FencedWriter of(String lockName, long token) {
        checkName(lockName);
        if (token <= 0 || token > LARGEST_TOKEN) {
            throw new IllegalArgumentException("token must be from 1 to " + LARGEST_TOKEN + ": " + token);
        }
        String mark = new LockKeys(keyPrefix).fence(lockName);
        return new FencedWriter(new FenceRunner(connection, commands, retention, mark, lockName, token));
    }

    /**
     * A data key in the hash slot of a lock: {@code key("apples", "stock")} is <code>stock:{apples}</code>. Braces and
     * percent signs in the lock's name are escaped, as in the keys of the locks themselves.
     *
     * @param name what the key begins with, without an opening brace
     */
    public static String key(String lockName, String name) {
        checkName(lockName);
        if (name.isBlank() || name.indexOf('{') >= 0) {
            throw new IllegalArgumentException("name must not be blank, nor contain '{': '" + name + "'");
        }
        return LockKeys.dataKey(lockName, name);
    }

    private static void checkName(String lockName) {
        if (lockName.isBlank()) {
            throw new IllegalArgumentException("lockName must not be blank: '" + lockName + "'");
        }
    }
}
