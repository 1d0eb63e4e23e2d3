package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.HoldfastException;
import io.holdfast.StaleTokenException;
import io.holdfast.servers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
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

    private static final String ROOM = "room:42";
    private static final String PUSH = "return redis.call('RPUSH', KEYS[1], ARGV[1])";
    private static final String MARK = "holdfast:fence:{room:42}room:42";

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
        fence.set(ROOM, "first", now);
        fence.set(ROOM, "again", now);
        assertThat(redis.get(ROOM)).isEqualTo("again");

        fence.set(ROOM, "later", now + 1);

        assertThat(redis.get(ROOM)).isEqualTo("later");
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now + 1));
    }

    @Test
    void olderTokenIsRejectedAndNothingIsWritten() {
        fence.set(ROOM, "later", now);

        StaleTokenException stale = stale(now - 1, token -> {
            fence.set(ROOM, "late", token);
            return "set";
        });

        assertThat(stale.token()).isEqualTo(now - 1);
        assertThat(stale.newest()).isEqualTo(now);
        assertThat(stale)
                .hasMessageContaining("Token " + (now - 1) + " is stale, the fence has seen " + now)
                .hasMessageContaining("[lock 'room:42' in Redis, key 'room:42']");
        assertThat(stale.getStackTrace())
                .as("shows who called")
                .anyMatch(frame -> frame.getClassName().equals(RedisFenceIT.class.getName()));
        assertThat(redis.get(ROOM)).isEqualTo("later");
        assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));
    }

    @Test
    void everyWriteIsGuarded() {
        fence.hset(ROOM, "guest", "later", now);
        List<LongFunction<Object>> writes = List.of(
                token -> {
                    fence.set(ROOM, "late", token);
                    return "set";
                },
                token -> {
                    fence.hset(ROOM, "guest", "late", token);
                    return "hset";
                },
                token -> fence.del(ROOM, token),
                token -> fence.<Long>run(ROOM, token, ScriptOutputType.INTEGER, "return redis.call('DEL', KEYS[1])"),
                token -> {
                    fence.check(ROOM, token);
                    return "check";
                });

        for (LongFunction<Object> write : writes) {
            assertThat(stale(now - 1, write).newest()).isEqualTo(now);
        }

        assertThat(redis.hgetall(ROOM)).isEqualTo(Map.of("guest", "later"));
    }

    @Test
    void asynchronousWritesFailWithTheExceptionItself() throws Exception {
        fence.setAsync(ROOM, "later", now).toCompletableFuture().get();
        assertThat(redis.get(ROOM)).isEqualTo("later");

        List<Future<?>> late = List.of(
                fence.setAsync(ROOM, "late", now - 1).toCompletableFuture(),
                fence.hsetAsync(ROOM, "guest", "late", now - 1).toCompletableFuture(),
                fence.delAsync(ROOM, now - 1).toCompletableFuture(),
                fence.<Long>runAsync(ROOM, now - 1, ScriptOutputType.INTEGER, "return 1")
                        .toCompletableFuture(),
                fence.checkAsync(ROOM, now - 1).toCompletableFuture());

        assertThat(late)
                .allSatisfy(future -> assertThatThrownBy(future::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(StaleTokenException.class));
        assertThat(fence.delAsync(ROOM, now).toCompletableFuture().get()).isTrue();
        assertThat(fence.<String>runAsync(ROOM, now, ScriptOutputType.VALUE, "return ARGV[1]", "a")
                        .toCompletableFuture()
                        .get())
                .isEqualTo("a");
    }

    @Test
    void sixteenDigitNeighboursAreToldApart() {
        for (long token : List.of(now, 1_799_999_999_999_999L, 8_999_999_999_999_999L, (1L << 53) - 2)) {
            redis.del(MARK);
            fence.set(ROOM, "t", token);
            fence.set(ROOM, "t+1", token + 1);

            assertThat(stale(token, t -> fence.del(ROOM, t)).newest()).isEqualTo(token + 1);
            assertThat(redis.get(MARK)).isEqualTo(Long.toString(token + 1));
            assertThat(redis.get(ROOM)).isEqualTo("t+1");
        }
    }

    @Test
    void withoutAMarkTokensOlderThanTheRetentionAreRejected() {
        RedisFence hour = fence.withRetention(Duration.ofHours(1)).withLockName("hotel");
        long hourAndABit = now - Duration.ofMinutes(61).toNanos() / 1_000;

        StaleTokenException old = stale(hourAndABit, token -> hour.del(ROOM, token));

        assertThat(old)
                .hasMessageContaining("older than the fence's retention of PT1H")
                .hasMessageContaining("maxHold")
                .hasMessageContaining("[lock 'hotel' in ");
        assertThat(old.newest()).isBetween(hourAndABit, now);
        assertThat(redis.exists(MARK)).isZero();

        fence.set(ROOM, "a day is the default", hourAndABit);
        hour.set(ROOM, "with a mark, any token that is not older", hourAndABit);
    }

    @Test
    void markAlwaysHasAnExpiryWhichEveryWriteRenews() {
        long longest = Duration.ofDays(1).plusMinutes(1).toMillis();
        List<Runnable> writes = List.of(
                () -> fence.set(ROOM, "a", now),
                () -> fence.del(ROOM, now),
                () -> fence.hset(ROOM, "a", "b", now + 1),
                () -> fence.<Long>run(ROOM, now + 1, ScriptOutputType.INTEGER, "return 1"));
        for (Runnable write : writes) {
            redis.pexpire(MARK, Duration.ofSeconds(100));

            write.run();

            assertThat(redis.pttl(MARK)).isBetween(longest - 60_000, longest);
        }

        fence.withRetention(Duration.ofHours(1)).set("other", "a", now);
        assertThat(redis.pttl("holdfast:fence:{other}other"))
                .isBetween(
                        Duration.ofHours(1).toMillis(), Duration.ofMinutes(61).toMillis());
    }

    @Test
    void checkDoesNotRaise() {
        fence.check(ROOM, now);
        assertThat(redis.exists(MARK)).isZero();
        fence.set(ROOM, "a", now);

        fence.check(ROOM, now + 5);

        fence.set(ROOM, "b", now);
        assertThat(redis.get(ROOM)).isEqualTo("b");
    }

    @Test
    void deletionIsRememberedByTheMark() {
        assertThat(fence.del(ROOM, now)).isFalse();
        fence.set(ROOM, "a", now);
        assertThat(fence.del(ROOM, now + 1)).isTrue();

        stale(now, token -> {
            fence.set(ROOM, "back again", token);
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

        fence.hset(ROOM, fields, now);

        assertThat(redis.hgetall(ROOM)).isEqualTo(fields);
    }

    @Test
    void ownScriptSeesItsKeyAndItsArgumentsAndNoMore() {
        List<Object> seen = fence.run(ROOM, now, ScriptOutputType.MULTI, """
                return {#KEYS, KEYS[1], #ARGV, ARGV[1], ARGV[2]}
                """, "a", "b");
        assertThat(seen).isEqualTo(List.of(1L, ROOM, 2L, "a", "b"));

        String nothing = fence.run(ROOM, now, ScriptOutputType.VALUE, "");
        assertThat(nothing).isNull();
        Long seven = fence.run(ROOM, now, ScriptOutputType.INTEGER, "return 7 -- and a comment");
        assertThat(seven).isEqualTo(7L);
        assertThatThrownBy(() -> fence.<String>run(ROOM, now, ScriptOutputType.VALUE, "return token"))
                .as("no name of the guard is left")
                .hasMessageContaining("nonexistent global variable 'token'");
    }

    @Test
    void failingScriptSaysWhereAndKeepsTheMark() {
        fence.set(ROOM, "text", now);

        assertThatThrownBy(() -> fence.<String>run(ROOM, now + 1, ScriptOutputType.VALUE, """
                        local a = 1
                        return redis.call('HSET', KEYS[1], 'a', 'b')"""))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE")
                .hasMessageContaining("user_script:2");
        assertThatThrownBy(() -> fence.<String>run(ROOM, now + 1, ScriptOutputType.VALUE, "this is no Lua"))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("user_script:1");
        assertThatThrownBy(() -> fence.<String>run(
                        ROOM, now + 1, ScriptOutputType.VALUE, "return redis.error_reply('SOLDOUT none left')"))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessage("SOLDOUT none left");

        assertThat(redis.get(ROOM)).isEqualTo("text");
        stale(now, token -> fence.del(ROOM, token));
        fence.set(ROOM, "the failed one may try again", now + 1);
    }

    @Test
    void scriptsThatTheServerHasForgottenAreSentAgain() {
        fence.set(ROOM, "a", now);
        redis.scriptFlush();
        fence.set(ROOM, "b", now);
        redis.scriptFlush();

        stale(now - 1, token -> fence.del(ROOM, token));

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
        assertThatThrownBy(() -> fence.set(ROOM, "a", now))
                .isInstanceOf(HoldfastException.class)
                .hasMessageContaining("at '" + MARK + "', but something else is there")
                .hasMessageContaining("nothing was written");
        assertThat(redis.exists(ROOM)).isZero();
    }

    @Test
    void whenTheMemoryIsFullNothingIsWrittenButDeletionsGetThrough() {
        fence.set(ROOM, "a", now);
        redis.configSet("maxmemory", "1");
        try {
            assertThatThrownBy(() -> fence.set(ROOM, "b", now + 2))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessageContaining("OOM");
            assertThat(redis.get(MARK)).isEqualTo(Long.toString(now));

            assertThat(fence.del(ROOM, now + 1)).isTrue();

            stale(now, token -> fence.del(ROOM, token));
            assertThat(fence.del("never seen", now)).isFalse();
            assertThat(redis.pttl("holdfast:fence:{never seen}never seen")).isPositive();
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a{b}c", "{}x", "}{", "a{b", "a}b", "{}", "치킨"})
    void oddKeysHaveMarksOfTheirOwn(String key) {
        fence.set(key, "later", now);
        fence.set("{" + key + "}", "another key", now - 5);

        stale(now - 1, token -> fence.del(key, token));

        assertThat(redis.get(key)).isEqualTo("later");
        assertThat(redis.keys("holdfast:fence:*")).hasSize(2);
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
                            fence.<Long>run(ROOM, token, ScriptOutputType.INTEGER, PUSH, Long.toString(token));
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
        assertThatThrownBy(() -> fence.set(ROOM, "a", token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("token must be from 1 to 9007199254740991: " + token);
    }

    @Test
    void badInputIsRefused() {
        assertThatThrownBy(() -> fence.set(" ", "a", now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key must not be blank: ' '");
        assertThatThrownBy(() -> fence.hset(ROOM, Map.of(), now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fields");
        assertThatThrownBy(() -> fence.<Long>run(ROOM, now, ScriptOutputType.INTEGER, "#!lua name=mylib\nreturn 1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("#!");
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
            assertThatThrownBy(() -> fence.set(ROOM, "a", now)).isInstanceOf(RedisCommandInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();

            connection.setTimeout(Duration.ofMillis(50));
            assertThatThrownBy(() -> fence.set(ROOM, "a", now))
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .hasMessageContaining("not known whether 'room:42' was written");
        } finally {
            server.resume();
        }
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
