package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RedisServerIT {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void settingsAreUsed() {
        try (RedisServer redis = RedisServer.start("maxmemory 10mb");
                RespClient client = redis.client()) {
            assertThat(client.call("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "10485760"));
            assertThat(client.field("redis_version", "INFO", "server")).startsWith("7.0.");
            assertThat(client.number("DBSIZE")).isZero();
            assertThat(client.call("GET", "none")).isNull();
            assertThat(client.call("DEBUG", "SLEEP", "0")).isEqualTo("OK");
            assertThat(redis.url()).isEqualTo("redis://127.0.0.1:" + redis.port());
            assertThat(redis.port()).isLessThan(55_536);
        }
    }

    @Test
    void errorsAreThrown() {
        try (RedisServer redis = RedisServer.start();
                RespClient client = redis.client()) {
            assertThatThrownBy(() -> client.call("NONSENSE"))
                    .isInstanceOf(RespException.class)
                    .hasMessageContaining("unknown command");
            assertThat(client.call("PING")).isEqualTo("PONG");
        }
        assertThatThrownBy(() -> RedisServer.start("no-such-setting 1"))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no-such-setting");
    }

    @Test
    void passwordIsNoObstacle() {
        try (RedisServer redis = RedisServer.start("requirepass secret");
                RespClient client = redis.client()) {
            assertThat(client.call("AUTH", "secret")).isEqualTo("OK");
        }
    }

    @Test
    void messagesAreReceived() {
        try (RedisServer redis = RedisServer.start();
                RespClient listener = redis.client();
                RespClient client = redis.client()) {
            assertThat(listener.call("SUBSCRIBE", "news")).isEqualTo(List.of("subscribe", "news", 1L));

            assertThat(client.number("PUBLISH", "news", "grüße")).isEqualTo(1);

            assertThat(listener.receive()).isEqualTo(List.of("message", "news", "grüße"));
        }
    }

    @Test
    void pausedServerAnswersAfterResume() {
        try (RedisServer redis = RedisServer.start();
                RespClient hasty = redis.client(Duration.ofMillis(200));
                RespClient patient = redis.client()) {
            redis.pause();
            assertThatThrownBy(() -> hasty.call("PING")).isInstanceOf(UncheckedIOException.class);
            assertThat(redis.isAlive()).isTrue();
            patient.send("PING");

            redis.resume();

            assertThat(patient.receive()).isEqualTo("PONG");
        }
    }

    @Test
    void dataAreLostWithoutPersistence() {
        try (RedisServer redis = RedisServer.start()) {
            set(redis);
            int port = redis.port();

            redis.kill();
            assertThat(redis.isAlive()).isFalse();
            assertThatThrownBy(redis::client).isInstanceOf(UncheckedIOException.class);
            redis.restart();

            assertThat(redis.port()).isEqualTo(port);
            assertThat(get(redis)).isNull();
        }
    }

    @Test
    void persistedDataSurviveARestart() {
        try (RedisServer redis = RedisServer.start("appendonly yes", "appendfsync always")) {
            set(redis);

            redis.restart();

            assertThat(get(redis)).isEqualTo("1");
        }
    }

    @Test
    void pausedServerCanBeClosed() {
        RedisServer redis = RedisServer.start();
        ProcessHandle server = ProcessHandle.of(redis.pid()).orElseThrow();
        redis.pause();

        redis.close();

        assertThat(server.isAlive()).isFalse();
    }

    @Test
    void serverEndsWhenItsJvmIsKilled() throws IOException {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output = jvm.inputReader()) {
            ProcessHandle server =
                    ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
            Path folder = Path.of(output.readLine());
            assertThat(server.isAlive()).isTrue();
            assertThat(folder).isDirectory();

            jvm.destroyForcibly();

            Await.until(LIMIT, () -> !server.isAlive(), () -> "the server outlives its JVM");
            Await.until(LIMIT, () -> Files.notExists(folder), () -> "the folder outlives the JVM");
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** The JVM to be killed. */
    static final class Starter {

        private Starter() {}

        public static void main(String[] args) throws InterruptedException {
            RedisServer redis = RedisServer.start();
            System.out.println(redis.pid());
            System.out.println(folderOf(redis));
            Thread.currentThread().join();
        }
    }

    private static String folderOf(RedisServer redis) {
        try (RespClient client = redis.client()) {
            return String.valueOf(client.list("CONFIG", "GET", "dir").get(1));
        }
    }

    private static void set(RedisServer redis) {
        try (RespClient client = redis.client()) {
            client.call("SET", "a", "1");
        }
    }

    private static @Nullable Object get(RedisServer redis) {
        try (RespClient client = redis.client()) {
            return client.call("GET", "a");
        }
    }
}
