package io.holdfast.lab;

import io.holdfast.Holdfast;
import io.holdfast.jdbc.JdbcStore;
import io.holdfast.redis.RedisStore;
import io.holdfast.spi.StoreFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A way of guarding a stock, by name.
 *
 * @param name as the table shows it
 * @param opening opens a shop on a full stock
 */
record Strategy(String name, Function<AppleStock, Shop> opening) {

    /** How long customers wait for the lock before they time out. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The TTL of the home-made locks on Redis. */
    static final Duration EXPIRY = Duration.ofSeconds(10);

    static final Strategy UNGUARDED = new Strategy("no guard", UnguardedShop::new);
    static final Strategy LATE_COMMIT = new Strategy("synchronized, commit after it", LateCommitShop::new);
    static final Strategy LOCK_PER_KEY = new Strategy("home-made lock per key", LockPerKeyShop::new);
    static final Strategy HOLDFAST =
            new Strategy("Holdfast, memory:", stock -> new HoldfastShop(Holdfast.connect("memory:"), stock));

    /** The strategies inside one process, in the order of the table. */
    static List<Strategy> inOneProcess() {
        return List.of(UNGUARDED, LATE_COMMIT, LOCK_PER_KEY, HOLDFAST);
    }

    /** The strategies for several processes whose locks are at {@code url}, in the order of the table. */
    static List<Strategy> at(String url) {
        if (url.startsWith("redis:")) {
            return List.of(
                    onRedis("INCR, EXPIRE, DEL", url, IncrLockShop::new),
                    onRedis("SET NX PX, every 100 ms", url, SpinLockShop::new),
                    onRedis("Holdfast, redis:", url, (redis, stock) -> shop(RedisStore.on(redis.client()), stock)));
        }
        if (url.startsWith("jdbc:")) {
            return List.of(
                    new Strategy("INSERT, DELETE, every 100 ms", stock -> new InsertLockShop(url, stock)),
                    new Strategy("advisory lock, commit after it", stock -> new AdvisoryLockShop(url, stock)),
                    new Strategy(
                            "Holdfast, jdbc:",
                            stock -> shop(JdbcStore.leaseTable(url).createTables(), stock)),
                    new Strategy(
                            "Holdfast, session locks",
                            stock -> shop(JdbcStore.sessionLocks(url).createTables(), stock)));
        }
        return List.of(
                UNGUARDED, new Strategy("Holdfast, file:", stock -> new HoldfastShop(Holdfast.connect(url), stock)));
    }

    /** The strategy of this name among those {@linkplain #at at} {@code url}. */
    static Strategy named(String name, String url) {
        return at(url).stream()
                .filter(strategy -> strategy.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Strategy onRedis(String name, String url, BiFunction<CountedClient, AppleStock, Shop> opening) {
        return new Strategy(name, stock -> {
            CountedClient redis = new CountedClient(url);
            return new CountedShop(opening.apply(redis, stock), redis);
        });
    }

    private static Shop shop(StoreFactory store, AppleStock stock) {
        return new HoldfastShop(Holdfast.builder(store).build(), stock);
    }

    Shop open(AppleStock stock) {
        return opening.apply(stock);
    }
}
