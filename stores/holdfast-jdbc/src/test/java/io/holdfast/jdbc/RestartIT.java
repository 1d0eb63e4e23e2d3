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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The server is killed and started again while a lease is held and others wait. */
@ParameterizedClass
@EnumSource
class RestartIT {

    private static SqlServer server;

    private final Database database;

    RestartIT(Database database) {
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

    @Test
    void leaseInTheTableOutlivesTheServer() {
        Duration lease = Duration.ofSeconds(12);
        try (Holdfast one = Kind.LEASE_TABLE.open(server.url(), lease);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), lease)) {
            Lease held = one.lock("kept").acquire();
            CompletableFuture<Lease> waiter = other.lock("kept").acquireAsync();

            server.restart();
            Eventually.renewed(held);

            assertThat(held.state()).isEqualTo(LeaseState.HELD);
            assertThat(waiter).isNotDone();
            assertThat(other.lock("kept").inspect().holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).isEqualTo(held.token()));
            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void serverThatIsUnavailableForLongerThanTheLeaseLosesItAndItsHolderIsNotifiedFirst() {
        Duration lease = Duration.ofMillis(1_500);
        try (Holdfast one = Kind.LEASE_TABLE.open(server.url(), lease);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), lease)) {
            Lease held = one.lock("over").acquire();
            CompletableFuture<LeaseState> seen = other.lock("over")
                    .acquireAsync()
                    .thenApply(next -> {
                        LeaseState state = held.state();
                        assertThat(next.token()).isGreaterThan(held.token());
                        assertThat(next.release()).isTrue();
                        return state;
                    });

            server.kill();
            Eventually.state(held, LeaseState.LOST);
            assertThat(seen).isNotDone();
            server.restart();

            assertThat(Eventually.comes(seen)).isEqualTo(LeaseState.LOST);
            assertThatThrownBy(held::close).isInstanceOf(LeaseLostException.class);
        }
    }

    /** The holder is notified by its next renewal, not before: another process may hold the lock then, with a larger token. */
    @Test
    void sessionLockEndsWithTheServerAndItsHolderIsNotified() {
        // It is renewed after a third of this, and expires only after the limit of the test.
        Duration lease = Eventually.LIMIT.multipliedBy(3).dividedBy(2);
        try (Holdfast one = Kind.SESSION_LOCKS.open(server.url(), lease);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), lease)) {
            Lease held = one.lock("gone").acquire();
            CompletableFuture<Lease> waiter = other.lock("gone").acquireAsync();
            try (Database.Admin admin = database.admin(server)) {
                Eventually.holds("it waits", () -> admin.waiters().size() == 1);
            }

            server.restart();
            long restarted = System.nanoTime();

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            Eventually.state(held, LeaseState.LOST);
            Eventually.figure(database + ": session lock, server restarted, holder notified after", restarted);
            assertThat(held.release()).isFalse();
            assertThat(next.state()).isEqualTo(LeaseState.HELD);
            assertThat(other.lock("gone").inspect().holders()).hasSize(1);
            assertThat(next.release()).isTrue();
        }
    }
}
