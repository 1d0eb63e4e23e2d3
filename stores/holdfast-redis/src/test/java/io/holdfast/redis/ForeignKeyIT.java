package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.StoreUnavailableException;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The key of a lock is used by another program. */
class ForeignKeyIT {

    private static RedisServer server;

    private RespClient admin;
    private Holdfast holdfast;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        admin = server.client();
        holdfast = Holdfast.builder(server.url())
                .defaults(LockOptions.builder()
                        .leaseTime(Duration.ofSeconds(2))
                        .maxWait(Duration.ofSeconds(2))
                        .build())
                .build();
    }

    @AfterEach
    void close() {
        holdfast.close();
        admin.call("FLUSHALL");
        admin.close();
    }

    static List<List<String>> foreign() {
        return List.of(
                List.of("SET", "holdfast:{x}", "a text"),
                List.of("RPUSH", "holdfast:{x}", "a list"),
                List.of("HSET", "holdfast:{x}", "colour", "red"),
                List.of("HSET", "holdfast:{x}", "layout", "1", "last", "17"),
                List.of("HSET", "holdfast:{x}", "layout", "1", "capacity", "1", "h:1", "00c0ffee00c0ffee-1 1 17"),
                List.of("HSET", "holdfast:{x}", "layout", "3", "last", "17"));
    }

    @ParameterizedTest
    @MethodSource("foreign")
    void keyOfAnotherProgramIsRefusedAndNotChanged(List<String> command) {
        admin.call(command.toArray(String[]::new));
        String before = admin.text("DEBUG", "DIGEST");

        for (boolean waits : new boolean[] {false, true}) {
            assertThatThrownBy(() -> {
                        if (waits) {
                            holdfast.lock("x").acquire();
                        } else {
                            holdfast.lock("x").tryAcquire();
                        }
                    })
                    .isInstanceOf(HoldfastException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("holdfast:{x}")
                    .hasMessageContaining("keyPrefix");
        }
        assertThatThrownBy(() -> holdfast.semaphore("x", 3).acquire()).hasMessageContaining("holdfast:{x}");
        assertThat(holdfast.lock("x").forceRelease(17)).isFalse();

        assertThat(admin.text("DEBUG", "DIGEST")).isEqualTo(before);
        assertThat(admin.number("PTTL", "holdfast:{x}")).isEqualTo(-1);
    }

    @ParameterizedTest
    @MethodSource("foreign")
    void keyOfAnotherProgramDoesNotHideTheOthers(List<String> command) {
        admin.call(command.toArray(String[]::new));
        try (Lease held = holdfast.lock("y").acquire()) {
            assertThat(holdfast.inspect("", 10))
                    .singleElement()
                    .satisfies(info -> assertThat(info.name()).isEqualTo("y"));
            assertThat(holdfast.lock("x").inspect().isFree()).isTrue();
            assertThat(held.state()).isEqualTo(LeaseState.HELD);
        }
    }

    @ParameterizedTest
    @MethodSource("foreign")
    void lockThatIsOverwrittenIsLostAndNoOther(List<String> command) {
        Lease broken = holdfast.lock("x").acquire();
        Lease sound = holdfast.lock("sound").acquire();
        admin.call("DEL", "holdfast:{x}");
        admin.call(command.toArray(String[]::new));
        String before = String.valueOf(admin.call("DUMP", "holdfast:{x}"));

        Eventually.state(broken, LeaseState.LOST);

        assertThat(broken.release()).isFalse();
        assertThat(sound.state()).isNotEqualTo(LeaseState.LOST);
        assertThat(sound.release()).isTrue();
        assertThat(String.valueOf(admin.call("DUMP", "holdfast:{x}"))).isEqualTo(before);
    }

    @Test
    void anotherPrefixCanBeUsed() {
        admin.call("SET", "holdfast:{x}", "a text");
        try (Holdfast other = Holdfast.connect(server.url() + "?keyPrefix=mine")) {
            assertThat(other.lock("x").tryAcquire())
                    .isPresent()
                    .get()
                    .satisfies(lease -> assertThat(lease.release()).isTrue());
        }
        assertThat(admin.call("GET", "holdfast:{x}")).isEqualTo("a text");
    }
}
