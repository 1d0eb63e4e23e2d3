package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A machine has vanished from the network, and the database still has its sessions. */
@ParameterizedClass
@EnumSource
class VanishedHostIT {

    private static SqlServer server;

    private final Database database;

    VanishedHostIT(Database database) {
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
    void vanishedHolderHoldsALockForNotMuchMoreThanItsLease() {
        Duration lease = Duration.ofSeconds(10);
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast vanishing = Kind.SESSION_LOCKS.open(database.url(server, network.port()), lease);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), lease);
                Database.Admin admin = database.admin(server)) {
            Lease held = vanishing.lock("holder").acquire();
            CompletableFuture<Lease> waiter = other.lock("holder").acquireAsync();
            Eventually.holds("it waits", () -> admin.waiters().size() == 1);
            CompletableFuture<LeaseState> seen = waiter.thenApply(next -> held.state());

            network.stall();
            long vanished = System.nanoTime();

            Lease next = Eventually.comes(waiter);
            Eventually.figure(database + ": holder vanished, lease of 10 s, next grant after", vanished);
            assertThat(Eventually.comes(seen)).isEqualTo(LeaseState.LOST);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
            // So that it can be closed without waiting for unresponsive sessions.
            network.refuse();
            network.cut();
        }
    }

    /** The database grants the lock to its session, which does not respond any more. */
    @Test
    void vanishedWaiterHoldsALockForNotMuchMoreThanItsLease() {
        Duration lease = Duration.ofSeconds(3);
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast vanishing = Kind.SESSION_LOCKS.open(database.url(server, network.port()), lease);
                Holdfast holding = Kind.SESSION_LOCKS.open(server.url(), lease);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), lease);
                Database.Admin admin = database.admin(server)) {
            Lease held = holding.lock("waiter").acquire();
            CompletableFuture<Lease> vanished = vanishing.lock("waiter").acquireAsync();
            Eventually.holds("the first waits", () -> admin.waiters().size() == 1);
            CompletableFuture<Lease> waiter = other.lock("waiter").acquireAsync();
            Eventually.holds("the second waits", () -> admin.waiters().size() == 2);

            network.stall();
            long released = System.nanoTime();
            assertThat(held.release()).isTrue();

            Lease next = Eventually.comes(waiter);
            Eventually.figure(database + ": waiter vanished, lease of 3 s, next grant after", released);
            assertThat(vanished).isNotDone();
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
            network.refuse();
            network.cut();
        }
    }
}
