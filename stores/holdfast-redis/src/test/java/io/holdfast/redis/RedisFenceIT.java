package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisFenceIT {

    private static final String LOCK = "hotel";
    private static final String ROOM = "room:42";
    private static final String GUESTS = "guests:{hotel}";
    private static final List<String> ROOMS = List.of(ROOM);
    private static final String PUSH = "return redis.call('RPUSH', KEYS[1], ARGV[1])";
    private static final String MARK = "holdfast:fence:{hotel}";

    private static RedisServer server;
    private static RedisClient client;

    private StatefulRedisConnection<String, String> connection;
    private RedisCommands<String, String> redis;
    private RedisFence fence;
    private long now;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        client = RedisClient.create(server.url());
    }

    @AfterAll
    static void stop() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
        server.close();
    }

    @BeforeEach
    void connect() {
        connection = client.connect();
        redis = connection.sync();
        redis.flushall();
        fence = RedisFence.on(connection);
        now = micros();
    }

    @AfterEach
    void disconnect() {
        connection.close();
    }

    @Test
    void newerAndEqualTokensPass() {
        at(now).set(ROOM, "first");
        at(now).set(ROOM, "again");
        assertThat(redis.get(ROOM)).isEqualTo("again");

        at(now + 1).set(ROOM, "later");

        assertThat(redis.get(ROOM)).isEqualTo("later");
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now + 1));
    }

    @Test
    void olderTokenIsRejectedAndNothingIsWritten() {
        at(now).set(ROOM, "later");

        StaleTokenException stale = stale(now - 1, token -> {
            at(token).set(ROOM, "late");
            return "set";
        });

        assertThat(stale.token()).isEqualTo(now - 1);
        assertThat(stale.newest()).isEqualTo(now);
        assertThat(stale)
                .hasMessageContaining("Token " + (now - 1) + " is stale, the fence has seen " + now)
                .hasMessageContaining("[lock 'hotel' in Redis]");
        assertThat(stale.getStackTrace())
                .as("shows who called")
                .anyMatch(frame -> frame.getClassName().equals(RedisFenceIT.class.getName()));
        assertThat(redis.get(ROOM)).isEqualTo("later");
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));
    }

    @Test
    void everyWriteIsGuarded() {
        at(now).hset(ROOM, "guest", "later");
        List<LongFunction<Object>> writes = List.of(
                token -> {
                    at(token).set(ROOM, "late");
                    return "set";
                },
                token -> {
                    at(token).hset(ROOM, "guest", "late");
                    return "hset";
                },
                token -> at(token).del(ROOM),
                token -> at(token).<Long>run("return redis.call('DEL', KEYS[1])", ScriptOutputType.INTEGER, ROOMS),
                token -> {
                    at(token).check();
                    return "check";
                });

        for (LongFunction<Object> write : writes) {
            assertThat(stale(now - 1, write).newest()).isEqualTo(now);
        }

        assertThat(redis.hgetall(ROOM)).isEqualTo(Map.of("guest", "later"));
    }

    @Test
    void asynchronousWritesFailWithTheExceptionItself() throws Exception {
        at(now).setAsync(ROOM, "later").toCompletableFuture().get();
        assertThat(redis.get(ROOM)).isEqualTo("later");

        List<Future<?>> late = List.of(
                at(now - 1).setAsync(ROOM, "late").toCompletableFuture(),
                at(now - 1).hsetAsync(ROOM, "guest", "late").toCompletableFuture(),
                at(now - 1).delAsync(ROOM).toCompletableFuture(),
                at(now - 1)
                        .<Long>runAsync("return 1", ScriptOutputType.INTEGER, ROOMS)
                        .toCompletableFuture(),
                at(now - 1).checkAsync().toCompletableFuture());

        assertThat(late)
                .allSatisfy(future -> assertThatThrownBy(future::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(StaleTokenException.class));
        assertThat(at(now).delAsync(ROOM).toCompletableFuture().get()).isTrue();
        assertThat(at(now).<String>runAsync("return ARGV[1]", ScriptOutputType.VALUE, ROOMS, "a")
                        .toCompletableFuture()
                        .get())
                .isEqualTo("a");
    }

    @Test
    void sixteenDigitNeighboursAreToldApart() {
        for (long token : List.of(now, 1_799_999_999_999_999L, 8_999_999_999_999_999L, (1L << 53) - 2)) {
            redis.del(MARK);
            at(token).set(ROOM, "t");
            at(token + 1).set(ROOM, "t+1");

            assertThat(stale(token, t -> at(t).del(ROOM)).newest()).isEqualTo(token + 1);
            assertThat(redis.get(MARK)).isEqualTo(Long.toString(token + 1));
            assertThat(redis.get(ROOM)).isEqualTo("t+1");
        }
    }

    @Test
    void withoutAMarkTokensOlderThanTheRetentionAreRejected() {
        RedisFence hour = fence.withRetention(Duration.ofHours(1));
        long hourAndABit = now - Duration.ofMinutes(61).toNanos() / 1_000;

        StaleTokenException old =
                stale(hourAndABit, token -> hour.of(LOCK, token).del(ROOM));

        assertThat(old)
                .hasMessageContaining("older than the fence's retention of PT1H")
                .hasMessageContaining("maxHold")
                .hasMessageContaining("[lock 'hotel' in ");
        assertThat(old.newest()).isBetween(hourAndABit, now);
        assertThat(redis.exists(MARK)).isZero();

        at(hourAndABit).set(ROOM, "a day is the default");
        hour.of(LOCK, hourAndABit).set(ROOM, "with a mark, any token that is not older");
    }

    @Test
    void markAlwaysHasAnExpiryWhichEveryWriteRenews() {
        long longest = Duration.ofDays(1).plusMinutes(1).toMillis();
        List<Runnable> writes = List.of(
                () -> at(now).set(ROOM, "a"),
                () -> at(now).del(ROOM),
                () -> at(now + 1).hset(ROOM, "a", "b"),
                () -> at(now + 1).<Long>run("return 1", ScriptOutputType.INTEGER, ROOMS));
        for (Runnable write : writes) {
            redis.pexpire(MARK, Duration.ofSeconds(100));

            write.run();

            assertThat(redis.pttl(MARK)).isBetween(longest - 60_000, longest);
        }

        fence.withRetention(Duration.ofHours(1)).of("other", now).set(ROOM, "a");
        assertThat(redis.pttl("holdfast:fence:{other}"))
                .isBetween(
                        Duration.ofHours(1).toMillis(), Duration.ofMinutes(61).toMillis());
    }

    @Test
    void checkDoesNotRaise() {
        at(now).check();
        assertThat(redis.exists(MARK)).isZero();
        at(now).set(ROOM, "a");

        at(now + 5).check();

        at(now).set(ROOM, "b");
        assertThat(redis.get(ROOM)).isEqualTo("b");
    }

    @Test
    void deletionIsRememberedByTheMark() {
        assertThat(at(now).del(ROOM)).isFalse();
        at(now).set(ROOM, "a");
        assertThat(at(now + 1).del(ROOM)).isTrue();

        stale(now, token -> {
            at(token).set(ROOM, "back again");
            return "set";
        });

        assertThat(redis.exists(ROOM)).isZero();
    }

    @Test
    void manyFieldsAreOneWrite() {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            fields.put("field " + i, "value " + i);
        }

        at(now).hset(ROOM, fields);

        assertThat(redis.hgetall(ROOM)).isEqualTo(fields);
    }

    @Test
    void ownScriptSeesItsKeyAndItsArgumentsAndNoMore() {
        List<Object> seen = at(now).run("""
                return {#KEYS, KEYS[1], KEYS[2], #ARGV, ARGV[1], ARGV[2]}
                """, ScriptOutputType.MULTI, List.of(ROOM, GUESTS), "a", "b");
        assertThat(seen).isEqualTo(List.of(2L, ROOM, GUESTS, 2L, "a", "b"));

        String nothing = at(now).run("", ScriptOutputType.VALUE, ROOMS);
        assertThat(nothing).isNull();
        Long seven = at(now).run("return 7 -- and a comment", ScriptOutputType.INTEGER, ROOMS);
        assertThat(seven).isEqualTo(7L);
        assertThatThrownBy(() -> at(now).<String>run("return token", ScriptOutputType.VALUE, ROOMS))
                .as("no name of the guard is left")
                .hasMessageContaining("nonexistent global variable 'token'");
    }

    @Test
    void failingScriptSaysWhereAndKeepsTheMark() {
        at(now).set(ROOM, "text");

        assertThatThrownBy(() -> at(now + 1).<String>run("""
                        local a = 1
                        return redis.call('HSET', KEYS[1], 'a', 'b')""", ScriptOutputType.VALUE, ROOMS))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE")
                .hasMessageContaining("user_script:2");
        assertThatThrownBy(() -> at(now + 1).<String>run("this is no Lua", ScriptOutputType.VALUE, ROOMS))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("user_script:1");
        assertThatThrownBy(() -> at(now + 1)
                        .<String>run("return redis.error_reply('SOLDOUT none left')", ScriptOutputType.VALUE, ROOMS))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessage("SOLDOUT none left");

        assertThat(redis.get(ROOM)).isEqualTo("text");
        stale(now, token -> at(token).del(ROOM));
        at(now + 1).set(ROOM, "the failed one may try again");
    }

    @Test
    void scriptsThatTheServerHasForgottenAreSentAgain() {
        at(now).set(ROOM, "a");
        redis.scriptFlush();
        at(now).set(ROOM, "b");
        redis.scriptFlush();

        stale(now - 1, token -> at(token).del(ROOM));

        assertThat(redis.get(ROOM)).isEqualTo("b");
    }

    @Test
    void somethingElseAtTheMarkIsReported() {
        redis.lpush(MARK, "a list");
        assertForeign();
        redis.del(MARK);
        redis.set(MARK, "no number");
        assertForeign();
    }

    private void assertForeign() {
        assertThatThrownBy(() -> at(now).set(ROOM, "a"))
                .isInstanceOf(HoldfastException.class)
                .hasMessageContaining("The key '" + MARK + "' should hold the fence's newest token")
                .hasMessageContaining("[lock 'hotel' in Redis]")
                .hasMessageContaining("nothing was written");
        assertThat(redis.exists(ROOM)).isZero();
    }

    @Test
    void whenTheMemoryIsFullNothingIsWrittenButDeletionsGetThrough() {
        at(now).set(ROOM, "a");
        redis.configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> at(now + 2).set(ROOM, "b"))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessageContaining("OOM");
            assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));

            assertThat(at(now + 1).del(ROOM)).isTrue();

            stale(now, token -> at(token).del(ROOM));
            assertThat(fence.of("never seen", now).del(ROOM)).isFalse();
            assertThat(redis.pttl("holdfast:fence:{never seen}")).isPositive();
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b}c", "{}x", "}{", "a{b", "a}b", "{}", "50%", "50%25", "%7B", "치킨", "\uD83C\uDF4E"})
    void everyLockHasAMarkOfItsOwn(String name) {
        fence.of(name, now).set("data", "later");
        fence.of("{" + name + "}", now - 5).set("data of another lock", "a");

        StaleTokenException stale =
                stale(now - 1, token -> fence.of(name, token).del("data"));

        assertThat(stale.lockName()).isEqualTo(name);
        assertThat(redis.get("data")).isEqualTo("later");
        assertThat(redis.keys("holdfast:fence:*")).hasSize(2);
    }

    @Test
    void locksOfOneNameAreKeptApartByTheKeyPrefix() {
        at(now).set(ROOM, "a");

        fence.withKeyPrefix("orders:locks").of(LOCK, now - 1).set("another room", "b");

        assertThat(redis.get("another room")).isEqualTo("b");
        assertThat(redis.get("orders:locks:fence:{hotel}")).isEqualTo(Long.toString(now - 1));
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));
    }

    @Test
    void readersCheckWithoutRejectingOtherReaders() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            DistributedReadWriteLock prices = holdfast.readWriteLock("prices");
            Lease reader = prices.readLock().acquire();
            fence.of(reader).check();
            assertThat(redis.exists("holdfast:fence:{prices}")).isZero();
            reader.close();

            prices.writeLock().run(writer -> fence.of(writer).set("price", "5"));

            assertThatThrownBy(() -> fence.of(reader).check())
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.lockName()).isEqualTo("prices"));
        }
    }

    @Test
    void everyLockOfASetHasItsOwnMark() {
        try (Holdfast holdfast = Holdfast.connect("memory:");
                LeaseSet accounts = holdfast.lockAll("account:1", "account:2").acquire()) {
            for (String name : accounts.names()) {
                Lease lease = accounts.lease(name);
                fence.of(lease).set(name, "booked");

                assertThat(redis.get("holdfast:fence:{" + name + "}")).isEqualTo(Long.toString(lease.token()));
            }
        }
    }

    @Test
    void onOneServerAScriptWritesKeysOfAllSlots() {
        assertThat(SlotHash.getSlot(ROOM)).isNotEqualTo(SlotHash.getSlot(GUESTS));

        Long written = at(now).run(
                        "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('SADD', KEYS[2], ARGV[1])",
                        ScriptOutputType.INTEGER,
                        List.of(ROOM, GUESTS),
                        "Ada");

        assertThat(written).isEqualTo(1);
        assertThat(redis.get(ROOM)).isEqualTo("Ada");
        assertThat(redis.smembers(GUESTS)).containsExactly("Ada");
    }

    @Test
    void scriptThatReadsKeepsOlderWritersOut() {
        redis.set(ROOM, "free");

        String read = at(now).run("return redis.call('GET', KEYS[1])", ScriptOutputType.VALUE, ROOMS);

        assertThat(read).isEqualTo("free");
        stale(now - 1, token -> at(token).del(ROOM));
    }

    @Test
    void acceptedTokensNeverGoDownWhoeverWrites() throws Exception {
        int threads = 8;
        ExecutorService writers = Executors.newFixedThreadPool(threads);
        try {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Random random = new Random(t);
                tasks.add(() -> {
                    long highest = 0;
                    start.await();
                    for (int i = 0; i < 300; i++) {
                        // The crowd moves on slowly, so many tokens are late and many are not.
                        long token = now + 4L * i + random.nextInt(40);
                        highest = Math.max(highest, token);
                        try {
                            at(token).<Long>run(PUSH, ScriptOutputType.INTEGER, ROOMS, Long.toString(token));
                        } catch (StaleTokenException late) {
                            assertThat(late.newest()).isGreaterThan(token);
                        }
                    }
                    return highest;
                });
            }
            long highest = 0;
            for (Future<Long> each : writers.invokeAll(tasks)) {
                highest = Math.max(highest, each.get());
            }

            List<Long> accepted =
                    redis.lrange(ROOM, 0, -1).stream().map(Long::valueOf).toList();
            assertThat(accepted).isSorted().endsWith(highest).hasSizeBetween(2, threads * 300 - 1);
        } finally {
            writers.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 53})
    void numbersThatAreNoTokensAreRefused(long token) {
        assertThatThrownBy(() -> at(token).set(ROOM, "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token must be from 1 to 9007199254740991: " + token);
    }

    @Test
    void badInputIsRefused() {
        assertThatThrownBy(() -> at(now).set(" ", "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key must not be blank: ' '");
        assertThatThrownBy(() -> at(now).hset(ROOM, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fields");
        assertThatThrownBy(() -> at(now).<Long>run("#!lua name=mylib\nreturn 1", ScriptOutputType.INTEGER, ROOMS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#!");
        assertThatThrownBy(() -> at(now).<Long>run("return 1", ScriptOutputType.INTEGER, List.of(), ROOM))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keys must not be empty");
        assertThatThrownBy(() -> fence.of(" ", now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lockName must not be blank: ' '");
        assertThatThrownBy(() -> fence.withKeyPrefix("a{b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keyPrefix");
        for (Duration retention : List.of(Duration.ZERO, Duration.ofSeconds(59), Duration.ofDays(366))) {
            assertThatThrownBy(() -> fence.withRetention(retention))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("retention must be from PT1M to PT8760H: " + retention);
        }
    }

    @Test
    void interruptionIsKeptAndSilenceEndsWithTheConnectionsTimeOut() {
        // First, for an answer that is there already is taken even so.
        server.pause();
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> at(now).set(ROOM, "a")).isInstanceOf(RedisCommandInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();

            connection.setTimeout(Duration.ofMillis(50));
            assertThatThrownBy(() -> at(now).set(ROOM, "a"))
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .hasMessageContaining(
                            "unknown whether the command under lock 'hotel' (token " + now + ") was executed");
        } finally {
            server.resume();
        }
    }

    private FencedCommands at(long token) {
        return fence.of(LOCK, token);
    }

    private static StaleTokenException stale(long token, LongFunction<Object> write) {
        StaleTokenException stale = catchThrowableOfType(StaleTokenException.class, () -> write.apply(token));
        assertThat(stale).as("token %s is rejected", token).isNotNull();
        return stale;
    }

    private long micros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}
