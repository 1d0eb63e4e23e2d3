package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.servers.ServerCertificate;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What can be said in a URL. */
class UrlIT {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        KeyCheck.everyKeyExpires(server);
        server.close();
    }

    @Test
    void passwordMayHaveEveryCharacter() {
        try (RespClient admin = server.client();
                LogLines log = LogLines.ofAll()) {
            admin.call("ACL", "SETUSER", "me", "on", ">p@s/s?#%:", "~*", "&*", "+@all");
            try (Holdfast holdfast = Holdfast.connect("redis://me:p%40s%2Fs%3F%23%25%3A@127.0.0.1:" + server.port())) {
                holdfast.lock("door").run(lease -> {});
            }
            assertThat(log.lines()).noneMatch(line -> line.contains("p@s/s"));
        }
    }

    @Test
    void databasesAreSeparate() {
        try (Holdfast zero = Holdfast.connect(server.url());
                Holdfast one = Holdfast.connect(server.url() + "/1");
                RespClient admin = server.client()) {
            Lease held = one.lock("house").acquire();
            assertThat(zero.lock("house").tryAcquire())
                    .isPresent()
                    .get()
                    .satisfies(lease -> assertThat(lease.release()).isTrue());
            assertThat(zero.inspect("", 10)).isEmpty();
            assertThat(one.inspect("", 10)).hasSize(1);
            admin.call("SELECT", "1");
            assertThat(KeyCheck.keys(admin, "*")).containsExactly("holdfast:{house}");
            KeyCheck.everyKeyExpires(admin);
            assertThat(held.release()).isTrue();
        }
    }

    @Test
    void prefixesAreSeparate() {
        try (Holdfast apples = Holdfast.connect(server.url() + "?keyPrefix=apples");
                Holdfast pears = Holdfast.connect(server.url() + "?keyPrefix=pears");
                RespClient admin = server.client()) {
            Lease held = apples.lock("crate").acquire();
            Lease second = pears.lock("crate").acquire();
            assertThat(apples.inspect("", 10)).hasSize(1);
            assertThat(pears.inspect("", 10)).hasSize(1);
            assertThat(KeyCheck.keys(admin, "*:{crate}")).containsExactlyInAnyOrder("apples:{crate}", "pears:{crate}");
            assertThat(admin.list("PUBSUB", "CHANNELS", "apples:wake:*")).hasSize(1);
            assertThat(held.release()).isTrue();
            assertThat(second.release()).isTrue();
        }
    }

    @Test
    void clientNameIsVisibleInTheServer() {
        try (Holdfast named = Holdfast.connect(server.url() + "?clientName=orders");
                Holdfast unnamed = Holdfast.connect(server.url());
                RespClient admin = server.client()) {
            String clients = admin.text("CLIENT", "LIST");
            assertThat(clients.lines().filter(line -> line.contains(" name=orders ")))
                    .hasSize(2);
            assertThat(clients.lines().filter(line -> line.contains(" name=holdfast ")))
                    .hasSize(2);
            assertThat(named.inspect("", 1)).isEqualTo(unnamed.inspect("", 1));
        }
    }

    @Test
    void requestTimesOut() {
        try (RedisServer paused = RedisServer.start();
                Holdfast holdfast = Holdfast.connect(paused.url() + "?timeout=150ms")) {
            holdfast.lock("door").run(lease -> {});
            paused.pause();
            try {
                assertThatThrownBy(() -> holdfast.lock("door").tryAcquire())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("No answer from Redis within 150 ms");
            } finally {
                paused.resume();
            }
        }
    }

    @Test
    void unresponsiveServerIsReportedAfterTheTimeout() {
        try (RedisServer paused = RedisServer.start()) {
            paused.pause();
            try {
                assertThatThrownBy(() -> Holdfast.builder(
                                        RedisStore.at(paused.url()).timeout(Duration.ofMillis(150)))
                                .failFast()
                                .build())
                        .hasMessageContaining(paused.url())
                        .hasStackTraceContaining("150 millisecond");
            } finally {
                paused.resume();
            }
        }
    }

    @Test
    void selfSignedCertificateIsRefusedUnlessTheUrlAcceptsIt() {
        try (ServerCertificate certificate = ServerCertificate.selfSigned();
                RedisServer secured = RedisServer.startWithTls(certificate)) {
            assertThatThrownBy(() -> Holdfast.connect(secured.url()))
                    .hasMessageContaining(secured.url())
                    .hasMessageContaining("certification path");
            try (Holdfast holdfast = Holdfast.connect(secured.url() + "?verifyPeer=NONE")) {
                holdfast.lock("door").run(lease -> {});
            }
        }
    }
}
