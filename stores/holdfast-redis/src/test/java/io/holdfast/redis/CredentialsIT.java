package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.LockStore;
import io.holdfast.testkit.LogLines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passwords: right, wrong, and never shown. */
class CredentialsIT {

    private static final String SECRET = "t0p-s3cret";
    private static final String WRONG = "wr0ng-gue55";

    @ParameterizedTest
    @ValueSource(strings = {":" + WRONG + "@", "default:" + WRONG + "@", "unknown:" + WRONG + "@", ""})
    void wrongPasswordIsReportedButNotShown(String credentials) {
        try (RedisServer server = RedisServer.start("requirepass " + SECRET);
                LogLines log = LogLines.ofAll()) {
            Throwable thrown =
                    catchThrowable(() -> Holdfast.connect("redis://" + credentials + "127.0.0.1:" + server.port()));

            assertThat(thrown)
                    .hasMessageContaining("redis://127.0.0.1:" + server.port())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("(?s).*(WRONGPASS|NOAUTH).*");
            assertThat(LogLines.printed(thrown) + log.lines()).doesNotContain(WRONG);
        }
    }

    @Test
    void rightPasswordIsNeverShown() {
        AtomicReference<String> name = new AtomicReference<>("");
        try (RedisServer server = RedisServer.start("requirepass " + SECRET);
                LogLines log = LogLines.ofAll();
                Holdfast holdfast = Holdfast.builder(environment -> {
                            LockStore store = RedisStore.at("redis://:" + SECRET + "@127.0.0.1:" + server.port())
                                    .timeout(Duration.ofMillis(200))
                                    .open(environment);
                            name.set(store.capabilities().name());
                            return store;
                        })
                        .defaults(LockOptions.builder()
                                .maxWait(Duration.ofMillis(500))
                                .build())
                        .build()) {
            holdfast.lock("door").run(lease -> {});
            server.kill();
            Throwable tried = catchThrowable(() -> holdfast.lock("door").tryAcquire());
            Throwable waited = catchThrowable(() -> holdfast.lock("door").acquire());

            assertThat(tried).isNotNull();
            assertThat(waited).isNotNull();
            assertThat(name.get()).isEqualTo("redis://127.0.0.1:" + server.port());
            assertThat(LogLines.printed(tried) + LogLines.printed(waited) + log.lines())
                    .doesNotContain(SECRET);
        }
    }

    @Test
    void serverThatClosesTheConnectionIsConnectedToOnceMoreForTheReason() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Thread hangUp;
        try (ServerSocket rude = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            hangUp = new Thread(() -> hangUp(rude, calls));
            hangUp.start();

            Throwable thrown = catchThrowable(() -> Holdfast.builder("redis://127.0.0.1:" + rude.getLocalPort())
                    .failFast()
                    .build());

            assertThat(thrown).hasMessageContaining("redis://127.0.0.1:" + rude.getLocalPort());
            assertThat(calls).hasValue(2);
        }
        hangUp.join();
    }

    private static void hangUp(ServerSocket rude, AtomicInteger calls) {
        try {
            while (true) {
                try (Socket caller = rude.accept()) {
                    calls.incrementAndGet();
                    // Or else it would be reset, not closed.
                    int unused = caller.getInputStream().read(new byte[4_096]);
                }
            }
        } catch (IOException closed) {
            // That is how it ends.
        }
    }

    @Test
    void serverThatDoesNotAnswerIsNamedWithoutThePassword() {
        RedisServer server = RedisServer.start();
        server.close();
        Throwable thrown =
                catchThrowable(() -> Holdfast.builder("redis://app:" + SECRET + "@127.0.0.1:" + server.port() + "/2")
                        .failFast()
                        .build());
        assertThat(thrown).hasMessageContaining("redis://127.0.0.1:" + server.port() + "/2");
        assertThat(LogLines.printed(thrown)).doesNotContain(SECRET);
    }
}
