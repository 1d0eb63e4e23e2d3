package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.RefusedException;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection stalls for a while without an error; the requests that were sent on it are executed late. */
@ParameterizedClass
@EnumSource
class StaleRequestIT {

    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final Duration LEASE = Duration.ofSeconds(90);
    private static final String ACQUIRE = "holdfast_lease (name, capacity, claim";

    private static SqlServer server;

    private final Database database;

    StaleRequestIT(Database database) {
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
    void staleRequestIsRefused(Claim.Mode mode) {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE);
                StoreClient client = new StoreClient(through(network, Kind.LEASE_TABLE))) {
            String name = "late-" + mode;
            warmUp(client, name);
            List<ProxiedConnection> stalled = stall(network, ACQUIRE);
            Claim claim = client.claim(name, mode);

            assertThat(client.acquires(claim)).as("the request is under way").isFalse();
            assertThat(Eventually.comes(client.store().release(claim))).isFalse();
            // The server gets it now, with the end of the connection behind it.
            resume(network, stalled);

            assertThat(other.lock(name).inspect().isFree()).isTrue();
            assertThat(other.lock(name).tryAcquire()).hasValueSatisfying(Lease::close);
            assertThat(client.acquires(claim)).as("and for ever after").isFalse();
        }
    }

    @Test
    void claimThatIsRequestedAgainFindsTheGrantOfAStaleRequest() {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE);
                StoreClient client = new StoreClient(through(network, Kind.LEASE_TABLE))) {
            warmUp(client, "found");
            List<ProxiedConnection> stalled = stall(network, ACQUIRE);
            Claim claim = client.claim("found", Claim.Mode.TRY);

            assertThat(client.acquires(claim)).isFalse();
            resume(network, stalled);
            long token = other.lock("found").inspect().holders().get(0).token();

            Optional<Grant> grant = Eventually.comes(client.store().acquire(claim));
            assertThat(grant).hasValueSatisfying(found -> {
                assertThat(found.firstToken()).isEqualTo(token);
                assertThat(found.lease()).isLessThanOrEqualTo(LEASE);
            });
            assertThat(Eventually.comes(client.store().release(claim))).isTrue();
            assertThat(other.lock("found").inspect().isFree()).isTrue();
        }
    }

    /** The engine does not release a claim that was refused for good, so the store handles its stale requests. */
    @Test
    void staleRequestOfARefusedClaimIsRefused() {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE);
                StoreClient client = new StoreClient(through(network, Kind.LEASE_TABLE))) {
            warmUp(client, "resized");
            List<ProxiedConnection> stalled = stall(network, ACQUIRE);
            Claim claim = client.claim("resized", Claim.Mode.TRY);
            assertThat(client.acquires(claim)).as("the request is under way").isFalse();

            Lease permit = other.semaphore("resized", 3).acquire();
            assertThatThrownBy(() -> Eventually.comes(client.store().acquire(claim)))
                    .hasCauseInstanceOf(RefusedException.class);
            permit.release();
            resume(network, stalled);

            assertThat(other.lock("resized").inspect().isFree()).isTrue();
        }
    }

    @Test
    void staleReleaseDoesNotAffectTheNextHolder() {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast isolated = Kind.open(through(network, Kind.LEASE_TABLE), LEASE);
                Holdfast other = Kind.LEASE_TABLE.open(server.url(), LEASE)) {
            Lease lease = isolated.lock("handed on").acquire();
            List<ProxiedConnection> stalled = stall(network, ACQUIRE);
            lease.release();
            Lease next = other.lock("handed on").acquire();

            resume(network, stalled);

            assertThat(other.lock("handed on").inspect().holders())
                    .singleElement()
                    .satisfies(holder -> assertThat(holder.token()).isEqualTo(next.token()));
            assertThat(next.state()).isEqualTo(LeaseState.HELD);
            assertThat(next.release()).isTrue();
        }
    }

    /** The wait in the database is ended although its session is unresponsive. */
    @ParameterizedTest
    @EnumSource
    void staleRequestOfASessionLeavesTheLockFree(Claim.Mode mode) {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE);
                StoreClient client = new StoreClient(through(network, Kind.SESSION_LOCKS))) {
            String name = "late-session-" + mode;
            warmUp(client, name);
            List<ProxiedConnection> stalled = stall(
                    network, database == Database.POSTGRES ? "holdfast_session AS s" : "holdfast_session (lock_key");
            Claim claim = client.claim(name, mode);

            CompletableFuture<Optional<Grant>> answer = client.store().acquire(claim);
            Eventually.holds("it waits for a response", StaleRequestIT::isLocking);
            long begun = System.nanoTime();
            assertThat(Eventually.comes(client.store().release(claim))).isFalse();
            Eventually.figure(database + ": withdrawn from an unresponsive session, in", begun);
            assertThat(answer).isCompletedExceptionally();
            resume(network, stalled);

            assertThat(other.lock(name).tryAcquire(Eventually.LIMIT)).hasValueSatisfying(Lease::close);
        }
    }

    /** A waiter that times out before its session is open must not wait in the database afterwards. */
    @Test
    void waiterThatTimesOutWhileItsSessionOpensDoesNotWaitInTheDatabase() {
        try (TcpProxy network = TcpProxy.to(server.port());
                Holdfast other = Kind.SESSION_LOCKS.open(server.url(), LEASE);
                StoreClient client = new StoreClient(through(network, Kind.SESSION_LOCKS));
                Database.Admin admin = database.admin(server)) {
            Lease held = other.lock("slow").acquire();
            network.stall(Direction.TO_CLIENT);
            long before = network.connectionsEver();
            Claim claim = client.claim("slow", Claim.Mode.WAIT);
            var unused = client.store().acquire(claim);
            Eventually.holds("its session is being opened", () -> network.connectionsEver() > before);

            long begun = System.nanoTime();
            CompletableFuture<Boolean> released = client.store().release(claim);
            network.flow(Direction.TO_CLIENT);

            assertThat(Eventually.comes(released)).isFalse();
            Eventually.figure(database + ": withdrawn while the session opens, in", begun);
            Eventually.holds("no session waits", () -> admin.waiters().isEmpty());
            assertThat(held.release()).isTrue();
        }
    }

    /** Whether a thread of this process has sent the statement that locks, and reads. */
    private static boolean isLocking() {
        return Thread.getAllStackTraces().values().stream().anyMatch(StaleRequestIT::isLocking);
    }

    private static boolean isLocking(StackTraceElement... stack) {
        return Arrays.stream(stack)
                        .anyMatch(frame -> frame.getMethodName().equals("tryLock")
                                && frame.getClassName().endsWith("SessionDialect"))
                && Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().contains("Socket")
                                && frame.getMethodName().contains("read"));
    }

    private JdbcStoreBuilder through(TcpProxy network, Kind kind) {
        return kind.at(database.url(server, network.port())).timeout(TIMEOUT);
    }

    private static void warmUp(StoreClient client, String name) {
        Claim claim = client.claim(name, Claim.Mode.TRY);
        assertThat(client.acquires(claim)).isTrue();
        assertThat(Eventually.comes(client.store().release(claim))).isTrue();
    }

    private static List<ProxiedConnection> stall(TcpProxy network, String carrying) {
        List<ProxiedConnection> stalled = network.carrying(carrying);
        assertThat(stalled).isNotEmpty();
        stalled.forEach(connection -> connection.stall(Direction.TO_SERVER));
        return stalled;
    }

    /** Returns when the server has executed the stalled requests and the connection is closed. */
    private static void resume(TcpProxy network, List<ProxiedConnection> stalled) {
        stalled.forEach(connection -> connection.flow(Direction.TO_SERVER));
        Eventually.holds(
                "the stalled requests were executed",
                () -> network.carrying("").stream().noneMatch(stalled::contains));
    }
}
