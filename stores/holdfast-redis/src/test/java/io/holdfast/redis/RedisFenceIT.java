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
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
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
import java.util.stream.Stream;
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
        at(now).run(FencedWrites.set(ROOM, "first"));
        at(now).run(FencedWrites.set(ROOM, "again"));
        assertThat(redis.get(ROOM)).isEqualTo("again");

        at(now + 1).run(FencedWrites.set(ROOM, "later"));

        assertThat(redis.get(ROOM)).isEqualTo("later");
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now + 1));
    }

    @Test
    void olderTokenIsRejectedAndNothingIsWritten() {
        at(now).run(FencedWrites.set(ROOM, "later"));

        StaleTokenException stale = stale(now - 1, token -> {
            at(token).run(FencedWrites.set(ROOM, "late"));
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
        at(now).run(FencedWrites.hset(ROOM, "guest", "later"));
        List<LongFunction<Object>> writes = List.of(
                token -> {
                    at(token).run(FencedWrites.set(ROOM, "late"));
                    return "set";
                },
                token -> {
                    at(token).run(FencedWrites.hset(ROOM, "guest", "late"));
                    return "hset";
                },
                token -> at(token).run(FencedWrites.del(ROOM)),
                token -> at(token)
                        .run(FencedCommand.script("return redis.call('DEL', KEYS[1])")
                                .keys(ROOM)
                                .returningLong()),
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
        at(now).runAsync(FencedWrites.set(ROOM, "later")).toCompletableFuture().get();
        assertThat(redis.get(ROOM)).isEqualTo("later");

        List<Future<?>> late = List.of(
                at(now - 1).runAsync(FencedWrites.set(ROOM, "late")).toCompletableFuture(),
                at(now - 1).runAsync(FencedWrites.hset(ROOM, "guest", "late")).toCompletableFuture(),
                at(now - 1).runAsync(FencedWrites.del(ROOM)).toCompletableFuture(),
                at(now - 1)
                        .runAsync(FencedCommand.script("return 1").keys(ROOM).returningLong())
                        .toCompletableFuture(),
                at(now - 1).checkAsync().toCompletableFuture());

        assertThat(late)
                .allSatisfy(future -> assertThatThrownBy(future::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(StaleTokenException.class));
        assertThat(at(now).runAsync(FencedWrites.del(ROOM))
                        .toCompletableFuture()
                        .get())
                .isTrue();
        assertThat(at(now).runAsync(FencedCommand.script("return ARGV[1]")
                                .keys(ROOM)
                                .args("a")
                                .returningString())
                        .toCompletableFuture()
                        .get())
                .isEqualTo("a");
    }

    @Test
    void adjacentSixteenDigitTokensAreDistinguished() {
        for (long token : List.of(now, 1_799_999_999_999_999L, 8_999_999_999_999_999L, (1L << 53) - 2)) {
            redis.del(MARK);
            at(token).run(FencedWrites.set(ROOM, "t"));
            at(token + 1).run(FencedWrites.set(ROOM, "t+1"));

            assertThat(stale(token, t -> at(t).run(FencedWrites.del(ROOM))).newest())
                    .isEqualTo(token + 1);
            assertThat(redis.get(MARK)).isEqualTo(Long.toString(token + 1));
            assertThat(redis.get(ROOM)).isEqualTo("t+1");
        }
    }

    @Test
    void withoutAMarkTokensOlderThanTheRetentionAreRejected() {
        RedisFence hour = fence.withRetention(Duration.ofHours(1));
        long hourAndABit = now - Duration.ofMinutes(61).toNanos() / 1_000;

        StaleTokenException old =
                stale(hourAndABit, token -> hour.of(LOCK, token).run(FencedWrites.del(ROOM)));

        assertThat(old)
                .hasMessageContaining("older than the fence's retention of PT1H")
                .hasMessageContaining("maxHold")
                .hasMessageContaining("[lock 'hotel' in ");
        assertThat(old.newest()).isBetween(hourAndABit, now);
        assertThat(redis.exists(MARK)).isZero();

        at(hourAndABit).run(FencedWrites.set(ROOM, "a day is the default"));
        hour.of(LOCK, hourAndABit).run(FencedWrites.set(ROOM, "with a mark, any token that is not older"));
    }

    @Test
    void markAlwaysHasAnExpiryWhichEveryWriteRenews() {
        long longest = Duration.ofDays(1).plusMinutes(1).toMillis();
        List<Runnable> writes = List.of(
                () -> at(now).run(FencedWrites.set(ROOM, "a")),
                () -> at(now).run(FencedWrites.del(ROOM)),
                () -> at(now + 1).run(FencedWrites.hset(ROOM, "a", "b")),
                () -> at(now + 1)
                        .run(FencedCommand.script("return 1").keys(ROOM).returningLong()));
        for (Runnable write : writes) {
            redis.pexpire(MARK, Duration.ofSeconds(100));

            write.run();

            assertThat(redis.pttl(MARK)).isBetween(longest - 60_000, longest);
        }

        fence.withRetention(Duration.ofHours(1)).of("other", now).run(FencedWrites.set(ROOM, "a"));
        assertThat(redis.pttl("holdfast:fence:{other}"))
                .isBetween(
                        Duration.ofHours(1).toMillis(), Duration.ofMinutes(61).toMillis());
    }

    @Test
    void checkDoesNotRaise() {
        at(now).check();
        assertThat(redis.exists(MARK)).isZero();
        at(now).run(FencedWrites.set(ROOM, "a"));

        at(now + 5).check();

        at(now).run(FencedWrites.set(ROOM, "b"));
        assertThat(redis.get(ROOM)).isEqualTo("b");
    }

    @Test
    void deletionIsRememberedByTheMark() {
        assertThat(at(now).run(FencedWrites.del(ROOM))).isFalse();
        at(now).run(FencedWrites.set(ROOM, "a"));
        assertThat(at(now + 1).run(FencedWrites.del(ROOM))).isTrue();

        stale(now, token -> {
            at(token).run(FencedWrites.set(ROOM, "back again"));
            return "set";
        });

        assertThat(redis.exists(ROOM)).isZero();
    }

    @Test
    void commandTakesThousandsOfArgumentsAndAScriptAnyNumber() {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            fields.put("field " + i, "value " + i);
        }
        String[] all = fields.entrySet().stream()
                .flatMap(field -> Stream.of(field.getKey(), field.getValue()))
                .toArray(String[]::new);
        FencedCommand<Long> command = FencedCommand.of("HSET").keys(ROOM).returningLong();

        long added = at(now).run(command.args(Arrays.copyOf(all, 6_998)));
        assertThat(added).isEqualTo(3_499);
        assertThatThrownBy(() -> at(now + 1).run(command.args(Arrays.copyOf(all, 7_000))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 7000 keys and arguments, not 7001")
                .hasMessageContaining("nothing was sent");
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));

        at(now).run(FencedCommand.script("for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end")
                .keys(ROOM)
                .args(all));
        assertThat(redis.hgetall(ROOM)).isEqualTo(fields);
    }

    @Test
    void repliesAreReturnedAsTheCommandSays() {
        Object discarded = at(now).run(FencedWrites.set(ROOM, "7"));
        assertThat(discarded).isNull();
        Object alsoDiscarded =
                at(now).run(FencedCommand.script("return {1, 'a'}").keys(ROOM));
        assertThat(alsoDiscarded).isNull();
        assertThat(at(now).run(FencedCommand.of("decrby").keys(ROOM).args("3").returningLong()))
                .isEqualTo(4);
        assertThat(at(now).run(FencedCommand.of("GETSET").keys(ROOM).args("5").returningString()))
                .isEqualTo("4");
        assertThat(at(now).run(FencedCommand.of("GETDEL").keys("absent").returningString()))
                .isNull();
        assertThat(at(now).run(FencedCommand.of("RPUSH")
                        .keys(GUESTS)
                        .args("Ada", "Bo")
                        .returningLong()))
                .isEqualTo(2);
        assertThat(at(now).run(FencedCommand.of("LPOP").keys(GUESTS).args("2").returningList()))
                .isEqualTo(List.of("Ada", "Bo"));
        assertThat(at(now).run(FencedCommand.of("RENAME").keys(ROOM, "room:43").returningString()))
                .isEqualTo("OK");
        assertThat(redis.get("room:43")).isEqualTo("5");
    }

    @Test
    void errorOfACommandIsThatOfRedis() {
        at(now).run(FencedWrites.set(ROOM, "text"));

        assertThatThrownBy(() -> at(now).run(FencedWrites.hset(ROOM, "a", "b")))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> at(now).run(FencedCommand.of("HSET").keys(ROOM)))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("rong number");
    }

    @Test
    void ownScriptSeesItsKeyAndItsArgumentsAndNoMore() {
        List<Object> seen = at(now).run(FencedCommand.script("""
                return {#KEYS, KEYS[1], KEYS[2], #ARGV, ARGV[1], ARGV[2]}
                """)
                .keys(ROOM, GUESTS)
                .args("a", "b")
                .returningList());
        assertThat(seen).isEqualTo(List.of(2L, ROOM, GUESTS, 2L, "a", "b"));

        String nothing = at(now).run(FencedCommand.script("").keys(ROOM).returningString());
        assertThat(nothing).isNull();
        Long seven = at(now).run(FencedCommand.script("return 7 -- and a comment")
                .keys(ROOM)
                .returningLong());
        assertThat(seven).isEqualTo(7L);
        assertThatThrownBy(() -> at(now).run(
                                FencedCommand.script("return token").keys(ROOM).returningString()))
                .as("no name of the guard is left")
                .hasMessageContaining("nonexistent global variable 'token'");
    }

    @Test
    void failingScriptSaysWhereAndKeepsTheMark() {
        at(now).run(FencedWrites.set(ROOM, "text"));

        assertThatThrownBy(() ->
                        at(now + 1).run(FencedCommand.script("""
                        local a = 1
                        return redis.call('HSET', KEYS[1], 'a', 'b')""").keys(ROOM).returningString()))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE")
                .hasMessageContaining("user_script:2");
        assertThatThrownBy(() -> at(now + 1)
                        .run(FencedCommand.script("this is no Lua").keys(ROOM).returningString()))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("user_script:1");
        assertThatThrownBy(() -> at(now + 1)
                        .run(FencedCommand.script("return redis.error_reply('SOLDOUT none left')")
                                .keys(ROOM)
                                .returningString()))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessage("SOLDOUT none left");

        assertThat(redis.get(ROOM)).isEqualTo("text");
        stale(now, token -> at(token).run(FencedWrites.del(ROOM)));
        at(now + 1).run(FencedWrites.set(ROOM, "the failed one may try again"));
    }

    @Test
    void flushedScriptsAreSentAgain() {
        at(now).run(FencedWrites.set(ROOM, "a"));
        redis.scriptFlush();
        at(now).run(FencedWrites.set(ROOM, "b"));
        redis.scriptFlush();

        stale(now - 1, token -> at(token).run(FencedWrites.del(ROOM)));

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
        assertThatThrownBy(() -> at(now).run(FencedWrites.set(ROOM, "a")))
                .isInstanceOf(HoldfastException.class)
                .hasMessageContaining("The key '" + MARK + "' should hold the fence's newest token")
                .hasMessageContaining("[lock 'hotel' in Redis]")
                .hasMessageContaining("nothing was written");
        assertThat(redis.exists(ROOM)).isZero();
    }

    @Test
    void whenTheMemoryIsFullNothingIsWrittenButDeletionsGetThrough() {
        at(now).run(FencedWrites.set(ROOM, "a"));
        redis.configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> at(now + 2).run(FencedWrites.set(ROOM, "b")))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessageContaining("OOM");
            assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));

            assertThat(at(now + 1).run(FencedWrites.del(ROOM))).isTrue();

            stale(now, token -> at(token).run(FencedWrites.del(ROOM)));
            assertThat(fence.of("never seen", now).run(FencedWrites.del(ROOM))).isFalse();
            assertThat(redis.pttl("holdfast:fence:{never seen}")).isPositive();
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b}c", "{}x", "}{", "a{b", "a}b", "{}", "50%", "50%25", "%7B", "치킨", "\uD83C\uDF4E"})
    void everyLockHasAMarkOfItsOwn(String name) {
        fence.of(name, now).run(FencedWrites.set("data", "later"));
        fence.of("{" + name + "}", now - 5).run(FencedWrites.set("data of another lock", "a"));

        StaleTokenException stale =
                stale(now - 1, token -> fence.of(name, token).run(FencedWrites.del("data")));

        assertThat(stale.lockName()).isEqualTo(name);
        assertThat(redis.get("data")).isEqualTo("later");
        assertThat(redis.keys("holdfast:fence:*")).hasSize(2);
    }

    @Test
    void locksOfOneNameAreKeptApartByTheKeyPrefix() {
        at(now).run(FencedWrites.set(ROOM, "a"));

        fence.withKeyPrefix("orders:locks").of(LOCK, now - 1).run(FencedWrites.set("another room", "b"));

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

            prices.writeLock().run(writer -> fence.of(writer).run(FencedWrites.set("price", "5")));

            assertThatThrownBy(() -> fence.of(reader).check())
                    .isInstanceOfSatisfying(
                            StaleTokenException.class,
                            stale -> assertThat(stale.lockName()).isEqualTo("prices"));
        }
    }

    @Test
    void everyLockOfASetHasItsOwnMark() {
        try (Holdfast holdfast = Holdfast.connect("memory:");
                LeaseSet accounts = holdfast.lockSet("account:1", "account:2").acquire()) {
            for (String name : accounts.names()) {
                Lease lease = accounts.lease(name);
                fence.of(lease).run(FencedWrites.set(name, "booked"));

                assertThat(redis.get("holdfast:fence:{" + name + "}")).isEqualTo(Long.toString(lease.token()));
            }
        }
    }

    @Test
    void onOneServerAScriptWritesKeysOfAllSlots() {
        assertThat(SlotHash.getSlot(ROOM)).isNotEqualTo(SlotHash.getSlot(GUESTS));

        Long written = at(now).run(FencedCommand.script(
                        "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('SADD', KEYS[2], ARGV[1])")
                .keys(ROOM, GUESTS)
                .args("Ada")
                .returningLong());

        assertThat(written).isEqualTo(1);
        assertThat(redis.get(ROOM)).isEqualTo("Ada");
        assertThat(redis.smembers(GUESTS)).containsExactly("Ada");
    }

    @Test
    void scriptThatReadsKeepsOlderWritersOut() {
        redis.set(ROOM, "free");

        String read = at(now).run(FencedCommand.script("return redis.call('GET', KEYS[1])")
                .keys(ROOM)
                .returningString());

        assertThat(read).isEqualTo("free");
        stale(now - 1, token -> at(token).run(FencedWrites.del(ROOM)));
    }

    @Test
    void acceptedTokensNeverDecreaseUnderConcurrency() throws Exception {
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
                            at(token)
                                    .run(FencedCommand.script(PUSH)
                                            .keys(ROOM)
                                            .args(Long.toString(token))
                                            .returningLong());
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
        assertThatThrownBy(() -> at(token).run(FencedWrites.set(ROOM, "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token must be from 1 to 9007199254740991: " + token);
    }

    @Test
    void badInputIsRefused() {
        assertThatThrownBy(() -> at(now).run(FencedWrites.set(" ", "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key must not be blank: ' '");
        for (String name : List.of("", "HSET room", "return 1", "A'B", "#!lua")) {
            assertThatThrownBy(() -> FencedCommand.of(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name must be the name of a Redis command");
        }
        assertThatThrownBy(() -> at(now).run(FencedCommand.script("#!lua name=mylib\nreturn 1")
                        .keys(ROOM)
                        .returningLong()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#!");
        assertThatThrownBy(() ->
                        at(now).run(FencedCommand.script("return 1").args(ROOM).returningLong()))
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
    void interruptStatusIsKeptAndTheTimeoutOfTheConnectionApplies() {
        // First, because an answer that has arrived already would be returned nevertheless.
        server.pause();
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> at(now).run(FencedWrites.set(ROOM, "a")))
                    .isInstanceOf(RedisCommandInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();

            connection.setTimeout(Duration.ofMillis(50));
            assertThatThrownBy(() -> at(now).run(FencedWrites.set(ROOM, "a")))
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .hasMessageContaining(
                            "unknown whether the command under lock 'hotel' (token " + now + ") was executed");
        } finally {
            server.resume();
        }
    }

    private FencedWriter at(long token) {
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
