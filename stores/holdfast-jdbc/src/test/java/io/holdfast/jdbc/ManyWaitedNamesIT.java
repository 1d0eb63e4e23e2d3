package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.servers.Direction;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process waits for thousands of names that another process holds: their polls do not delay its other requests. */
class ManyWaitedNamesIT {

    private static final int NAMES = 4_000;
    private static final int SECTIONS = 50;

    /** If each request waited for a poll of every name, it would be thousands. */
    private static final int MOST_TIMES_IDLE = NAMES / 10;

    private static final Duration LONG = Duration.ofHours(1);
    private static final LockOptions SHORT =
            LockOptions.builder().leaseTime(Duration.ofSeconds(5)).build();

    @ParameterizedTest
    @EnumSource
    void sectionsAndRenewalsGoBeforePolls(Database database) {
        try (SqlServer server = database.start();
                TcpProxy network = TcpProxy.to(server.port());
                Database.Admin admin = database.admin(server);
                Holdfast holdfast = Holdfast.builder(Kind.LEASE_TABLE.at(server.url(network.port())))
                        .build()) {
            holdAll(admin, database);
            List<Lease> held = IntStream.range(0, 3)
                    .mapToObj(i -> holdfast.lock("held" + i, SHORT).acquire())
                    .toList();
            sections(holdfast, network);
            long idle = sections(holdfast, network);
            List<CompletableFuture<Lease>> waits = IntStream.range(0, NAMES)
                    .mapToObj(i -> holdfast.lock("waited" + i).acquireAsync(LONG))
                    .toList();

            // These are sent after the first request of each claim.
            sections(holdfast, network);
            long busy = sections(holdfast, network);
            held.forEach(Eventually::renewed);

            System.out.printf(
                    "figure: %s: bytes sent per section, nothing waited for / %d names: %d / %d%n",
                    database, NAMES, idle / SECTIONS, busy / SECTIONS);
            assertThat(busy).isLessThan(MOST_TIMES_IDLE * idle);
            assertThat(waits).noneMatch(CompletableFuture::isDone);
            waits.forEach(wait -> wait.cancel(true));
            held.forEach(Lease::close);
        }
    }

    private static void holdAll(Database.Admin admin, Database database) {
        long now = System.currentTimeMillis() * 1_000;
        admin.execute(
                "INSERT INTO holdfast_lease (name, capacity, claim, first_token, last_token, granted_at, ends_at, owner)"
                        + " SELECT CONCAT('waited', i), 1, '00000000000000aa-1', " + now + ", " + now + ", " + now
                        + ", "
                        + (now + TimeUnit.NANOSECONDS.toMicros(LONG.toNanos())) + ", 'host 1 app label' FROM ("
                        + database.integers(0, NAMES - 1) + ") n");
    }

    /** How many bytes the process sends meanwhile. */
    private static long sections(Holdfast holdfast, TcpProxy network) {
        long before = network.bytes(Direction.TO_SERVER);
        for (int i = 0; i < SECTIONS; i++) {
            holdfast.lock("free" + i).acquire(Eventually.LIMIT).close();
        }
        return network.bytes(Direction.TO_SERVER) - before;
    }
}
