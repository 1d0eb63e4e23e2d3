package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.SqlServer;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An administrator, or the server itself, ends sessions of Holdfast. */
@ParameterizedClass
@EnumSource
class EndedSessionIT {

    private static final Duration LEASE = Duration.ofSeconds(6);

    private static SqlServer server;

    private final Database database;
    private Database.Admin admin;

    EndedSessionIT(Database database) {
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

    @BeforeEach
    void connect() {
        admin = database.admin(server);
    }

    @AfterEach
    void disconnect() {
        admin.close();
    }

    @Test
    void leaseInTheTableNeedsNoParticularConnection() {
        try (Holdfast one = Kind.LEASE_TABLE.open(server.url(), LEASE);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE)) {
            Lease held = one.lock("lanes").acquire();
            CompletableFuture<Lease> waiter = other.lock("lanes").acquireAsync();
            Eventually.holds("both are connected", () -> admin.sessions().size() >= 2);

            admin.end(admin.sessions());
            Eventually.renewed(held);
            admin.end(admin.sessions());

            assertThat(waiter).isNotDone();
            assertThat(held.state()).isIn(LeaseState.HELD, LeaseState.AT_RISK);
            held.release();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void waiterIsNotifiedAgainAfterItsListenConnectionWasCut() {
        assumeTrue(database == Database.POSTGRES, "only PostgreSQL notifies");
        try (Holdfast one = Kind.LEASE_TABLE.open(server.url(), LEASE);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE);
                LogLines log = LogLines.ofHoldfast()) {
            Lease held = one.lock("heard").acquire();
            CompletableFuture<Lease> waiter = other.lock("heard").acquireAsync();
            Eventually.holds(
                    "it listens", () -> !admin.sessions(Database.LISTENING).isEmpty());
            List<Long> ears = admin.sessions(Database.LISTENING);

            admin.end(ears);
            Eventually.holds(
                    "it listens again",
                    () -> admin.sessions(Database.LISTENING).stream().anyMatch(ear -> !ears.contains(ear)));

            assertThat(log.warnings()).anyMatch(line -> line.contains("LISTEN connection to PostgreSQL lost"));
            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void holderWhoseSessionIsEndedIsNotifiedAndTheNextOneIsServed() {
        try (Holdfast one = Kind.SESSION_LOCKS.open(server.url(), LEASE);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE)) {
            Lease held = one.lock("session").acquire();
            CompletableFuture<Lease> waiter = other.lock("session").acquireAsync();
            Eventually.holds("it waits", () -> admin.waiters().size() == 1);

            admin.end(admin.holders());

            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            Eventually.state(held, LeaseState.LOST);
            assertThat(held.release()).isFalse();
            assertThat(next.release()).isTrue();
        }
    }

    @Test
    void waiterWhoseSessionIsEndedWaitsOnAnother() {
        try (Holdfast one = Kind.SESSION_LOCKS.open(server.url(), LEASE);
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE)) {
            Lease held = one.lock("waiter").acquire();
            CompletableFuture<Lease> waiter = other.lock("waiter").acquireAsync();
            Eventually.holds("it waits", () -> admin.waiters().size() == 1);
            long before = admin.waiters().get(0);

            admin.end(List.of(before));
            Eventually.holds("it waits again", () -> admin.waiters().stream().anyMatch(session -> session != before));

            assertThat(waiter).isNotDone();
            assertThat(held.release()).isTrue();
            Lease next = Eventually.comes(waiter);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.release()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nextRequestOpensAConnectionAgain(Kind kind) {
        try (Holdfast holdfast = kind.open(server.url(), LEASE)) {
            Lease before = holdfast.lock("again").acquire();
            assertThat(before.release()).isTrue();

            admin.end(admin.sessions());

            Lease next = holdfast.lock("again").acquire();
            assertThat(next.token()).isGreaterThan(before.token());
            assertThat(next.release()).isTrue();
        }
    }
}
