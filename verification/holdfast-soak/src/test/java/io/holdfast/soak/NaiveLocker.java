package io.holdfast.soak;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A planted bug: {@code SET NX PX}, believed for no longer than the lease, and given back by {@code DEL} whosever it is by then.
 * Exclusive locks only.
 */
final class NaiveLocker implements Locker {

    /** The token is fine: the bug is in the release. */
    private static final String TAKE = """
            if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[1]) then return 0 end
            local time = redis.call('TIME')
            return time[1] * 1000000 + time[2]""";

    private final RedisClient client;
    private final RedisCommands<String, String> commands;

    NaiveLocker(String url) {
        this.client = RedisClient.create(url);
        this.commands = client.connect().sync();
    }

    @Override
    public Optional<Possession> obtain(Wish wish) {
        if (wish.role() != Role.OWNER) {
            return Optional.empty();
        }
        String name = wish.names().get(0);
        long end = System.nanoTime() + wish.maxWait().toNanos();
        do {
            long sent = System.nanoTime();
            Long token = commands.eval(
                    TAKE,
                    ScriptOutputType.INTEGER,
                    new String[] {name},
                    String.valueOf(wish.lease().toMillis()));
            if (token > 0) {
                NaiveLease lease =
                        new NaiveLease(name, token, sent + wish.lease().toNanos(), () -> commands.del(name) > 0);
                return Optional.of(new Possession(List.of(lease), lease::release));
            }
            pause();
        } while (System.nanoTime() < end);
        return Optional.empty();
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(5);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
}
