package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The server is unresponsive for a while: its connections stay open, as in a long pause of its machine. */
@ParameterizedClass
@EnumSource
class PauseIT {

    private static SqlServer server;

    private final Database database;

    PauseIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void pauseShorterThanTheLeaseKeepsIt(Kind kind) {
        try (Holdfast one = open(kind, Duration.ofSeconds(6));
                Holdfast other = open(kind, Duration.ofSeconds(6))) {
            Lease held = one.lock("short").acquire();
            CompletableFuture<Lease> waiter = other.lock("short").acquireAsync();

            server.pause();
            try {
                Eventually.state(held, LeaseState.AT_RISK);
            } finally {
                server.resume();
            }

            Eventually.state(held, LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void pauseLongerThanTheLeaseEndsItByTheHoldersOwnClock(Kind kind) {
        try (Holdfast one = open(kind, Duration.ofSeconds(1));
                Holdfast other = open(kind, Duration.ofSeconds(1))) {
            Lease held = one.lock("long").acquire();
            Lease closed = one.lock("long, too").acquire();
            CompletableFuture<Lease> waiter = other.lock("long").acquireAsync();

            server.pause();
            try {
                Eventually.state(held, LeaseState.LOST);
                Eventually.state(closed, LeaseState.LOST);
                assertThat(waiter).isNotDone();
            } finally {
                server.resume();
            }

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(held.release()).isFalse();
            assertThatThrownBy(closed::close).isInstanceOf(LeaseLostException.class);
            assertThat(next.release()).isTrue();
        }
    }

    private Holdfast open(Kind kind, Duration lease) {
        return Kind.open(kind.at(database.url(server)).timeout(Duration.ofMillis(300)), lease);
    }
}
