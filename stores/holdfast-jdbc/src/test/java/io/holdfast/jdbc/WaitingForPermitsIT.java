package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.Direction;
import io.holdfast.servers.MariaDbServer;
import io.holdfast.servers.PostgresServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** All permits of a semaphore are held by another process: the cost of attempts and of waiting in the database. */
class WaitingForPermitsIT {

    private static final String NAME = "permits";
    /** One of several: a claim for all of them is handled like one for a lock. */
    private static final int PERMITS = 2;

    private static final int ATTEMPTS = 200;
    private static final LockOptions LONG =
            LockOptions.builder().leaseTime(Duration.ofHours(1)).build();

    /** PostgreSQL is left out: there a claim that waits refreshes its entry in the queue now and then, which locks the row. */
    @Test
    void pollLocksNothing() throws SQLException {
        try (MariaDbServer server = MariaDbServer.start();
                TcpProxy network = TcpProxy.to(server.port());
                Database.Admin admin = Database.MARIADB.admin(server);
                Sql administrator = Sql.at(server.url());
                Holdfast holder = Kind.LEASE_TABLE.open(server.url(), Duration.ofHours(1));
                Holdfast other =
                        Kind.LEASE_TABLE.open(Database.MARIADB.url(server, network.port()), Eventually.LIMIT)) {
            List<Lease> held = holdAll(holder);
            CompletableFuture<Lease> waiter = other.semaphore(NAME, PERMITS).acquireAsync(Duration.ofHours(1));
            polls(network, admin);
            administrator.connection().setAutoCommit(false);
            administrator.number("SELECT 1 FROM holdfast_lease WHERE name = '" + NAME + "' FOR UPDATE");

            polls(network, admin);

            administrator.connection().rollback();
            held.forEach(Lease::close);
            assertThat(Eventually.comes(waiter).release()).isTrue();
        }
    }

    private static List<Lease> holdAll(Holdfast holder) {
        return IntStream.range(0, PERMITS)
                .mapToObj(i -> holder.semaphore(NAME, PERMITS, LONG).acquire())
                .toList();
    }

    /** It sends the statements of a few polls, and no statement waits for the row. */
    private static void polls(TcpProxy network, Database.Admin admin) {
        long before = network.bytes(Direction.TO_SERVER);
        Eventually.holds("it polls", () -> {
            assertThat(admin.numbers(Database.MARIADB.lockWaits())).isEmpty();
            return network.bytes(Direction.TO_SERVER) - before > 3_000;
        });
    }

    /** It locks the row, which PostgreSQL writes, too. But nothing of that has to be durable. */
    @Test
    void refusedAttemptDoesNotWaitForTheDisk() {
        try (PostgresServer server = PostgresServer.start();
                Holdfast holder = Kind.LEASE_TABLE.open(server.url(), Duration.ofHours(1))) {
            List<Lease> held = holdAll(holder);
            long none = flushes(server, 0);
            long flushes = flushes(server, ATTEMPTS) - none;

            System.out.println("figure: flushes of the server's log for " + ATTEMPTS + " refused attempts: " + flushes);
            assertThat(flushes).isLessThan(ATTEMPTS / 2);
            held.forEach(Lease::close);
        }
    }

    /** Until now, with those of so many attempts of another process. */
    private static long flushes(PostgresServer server, int attempts) {
        try (Sql sql = Sql.at(server.url())) {
            String sessions = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
            long before = sql.number(sessions);
            try (Holdfast other = Kind.LEASE_TABLE.open(server.url(), Eventually.LIMIT)) {
                for (int i = 0; i < attempts; i++) {
                    assertThat(other.semaphore(NAME, PERMITS).tryAcquire()).isEmpty();
                }
            }
            // A session counts what it has done when it ends.
            Eventually.holds("its sessions have ended", () -> sql.number(sessions) <= before);
            return sql.number("SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'");
        }
    }
}
