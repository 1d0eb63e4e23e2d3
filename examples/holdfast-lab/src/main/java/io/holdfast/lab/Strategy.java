package io.holdfast.lab;

import io.holdfast.Holdfast;
import io.holdfast.jdbc.JdbcStore;
import io.holdfast.redis.RedisStore;
import java.nio.file.Path;
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

    /** What customers are ready to wait for their turn. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** When the home-made locks on Redis end by themselves. */
    static final Duration EXPIRY = Duration.ofSeconds(10);

    static final Strategy UNGUARDED = new Strategy("no guard", UnguardedShop::new);
    static final Strategy LATE_COMMIT = new Strategy("synchronized, commit after it", LateCommitShop::new);
    static final Strategy LOCK_PER_KEY = new Strategy("home-made lock per key", LockPerKeyShop::new);
    static final Strategy HOLDFAST =
            new Strategy("Holdfast, memory:", stock -> new HoldfastShop(Holdfast.connect("memory:"), stock));

    /** The strategies inside one JVM, in the order of the table. */
    static List<Strategy> inOneJvm() {
        return List.of(UNGUARDED, LATE_COMMIT, LOCK_PER_KEY, HOLDFAST);
    }

    /** The strategies of several servers with a Redis, in the order of the table. */
    static List<Strategy> onRedis(String url) {
        return List.of(incrLock(url), spinLock(url), holdfast(url));
    }

    static Strategy incrLock(String url) {
        return onRedis("INCR, EXPIRE, DEL", url, IncrLockShop::new);
    }

    static Strategy spinLock(String url) {
        return onRedis("SET NX PX, every 100 ms", url, SpinLockShop::new);
    }

    static Strategy holdfast(String url) {
        return onRedis(
                "Holdfast, redis:",
                url,
                (redis, stock) -> new HoldfastShop(
                        Holdfast.builder(RedisStore.on(redis.client())).build(), stock));
    }

    private static Strategy onRedis(String name, String url, BiFunction<CountedClient, AppleStock, Shop> opening) {
        return new Strategy(name, stock -> {
            CountedClient redis = new CountedClient(url);
            return new ServerGroup(() -> opening.apply(redis, stock), redis::sent, redis::close);
        });
    }

    /** The strategies of several servers with a database, in the order of the table. */
    static List<Strategy> onDatabase(CountedDatabase database) {
        return List.of(
                insertLock(database),
                lateCommitUnderAdvisoryLock(database),
                leaseTable(database),
                sessionLocks(database));
    }

    static Strategy insertLock(CountedDatabase database) {
        return onDatabase("INSERT, DELETE, every 100 ms", database, stock -> new InsertLockShop(database.url(), stock));
    }

    static Strategy lateCommitUnderAdvisoryLock(CountedDatabase database) {
        return onDatabase(
                "advisory lock, commit after it", database, stock -> new AdvisoryLockShop(database.url(), stock));
    }

    static Strategy leaseTable(CountedDatabase database) {
        return onDatabase(
                "Holdfast, jdbc:",
                database,
                stock -> new HoldfastShop(
                        Holdfast.builder(JdbcStore.leaseTable(database.url()).createTables())
                                .build(),
                        stock));
    }

    static Strategy sessionLocks(CountedDatabase database) {
        return onDatabase(
                "Holdfast, session locks",
                database,
                stock -> new HoldfastShop(
                        Holdfast.builder(JdbcStore.sessionLocks(database.url()).createTables())
                                .build(),
                        stock));
    }

    private static Strategy onDatabase(String name, CountedDatabase database, Function<AppleStock, Shop> opening) {
        return new Strategy(name, stock -> new ServerGroup(() -> opening.apply(stock), database::sent, () -> {}));
    }

    /** Several processes of one machine, with a file. */
    static Strategy inFile(Path file) {
        return new Strategy(
                "Holdfast, file:",
                stock -> new ServerGroup(
                        () -> new HoldfastShop(Holdfast.connect("file:" + file), stock), () -> 0, () -> {}));
    }

    Shop open(AppleStock stock) {
        return opening.apply(stock);
    }
}
