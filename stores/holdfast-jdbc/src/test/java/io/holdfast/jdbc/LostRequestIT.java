package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.PlannedCut;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The connection is cut at a request, before or after the server has executed it; the caller does not know which. */
@ParameterizedClass
@EnumSource
@SuppressWarnings("NullAway.Init") // a test says what it needs before it uses it
class LostRequestIT {

    private static final Duration LIMIT = Eventually.LIMIT;

    /** Longer than any wait here: a lock that is free earlier was released. */
    private static final Duration LEASE = Duration.ofSeconds(90);

    private static SqlServer server;

    private final Database database;
    private TcpProxy network;
    private Holdfast isolated;
    private Holdfast other;
    private DistributedLock lock;
    private DistributedLock othersLock;

    @SuppressWarnings("NullAway.Init") // every test connects
    LostRequestIT(Database database) {
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

    /** The requests on the wire, and the text by which each is recognised. */
    enum Request {
        TAKE(Kind.LEASE_TABLE, "holdfast_lease (name, capacity, claim", "holdfast_lease (name, capacity, claim"),
        QUEUE(Kind.LEASE_TABLE, "queued AS", "holdfast_lease (name, capacity, claim"),
        RENEW(Kind.LEASE_TABLE, "holdfast_lease SET ends_at", "holdfast_lease SET ends_at"),
        COMMIT(Kind.LEASE_TABLE, "COMMIT", "COMMIT"),
        RELEASE(Kind.LEASE_TABLE, "holdfast_lease SET claim", "holdfast_lease SET claim"),
        HAND_OVER(Kind.LEASE_TABLE, "WITH m AS MATERIALIZED", "holdfast_lease SET claim"),
        LOCK(Kind.SESSION_LOCKS, "pg_try_advisory_lock", "holdfast_session (lock_key"),
        WAIT(Kind.SESSION_LOCKS, "SELECT pg_advisory_lock", "SELECT GET_LOCK"),
        GRANT(Kind.SESSION_LOCKS, "true AS got", "DUAL WHERE TRUE"),
        CHECK(Kind.SESSION_LOCKS, "SELECT pg_backend_pid()", "SELECT CONNECTION_ID()"),
        UNLOCK(Kind.SESSION_LOCKS, "pg_advisory_unlock", "RELEASE_LOCK");

        private final Kind kind;
        private final String postgres;
        private final String mariaDb;

        Request(Kind kind, String postgres, String mariaDb) {
            this.kind = kind;
            this.postgres = postgres;
            this.mariaDb = mariaDb;
        }
    }

    enum Cut {
        BEFORE_EXECUTION,
        AFTER_EXECUTION
    }

    private PlannedCut plan(Request request, Cut when) {
        String text = database == Database.POSTGRES ? request.postgres : request.mariaDb;
        return when == Cut.BEFORE_EXECUTION ? network.loseRequest(text) : network.loseReplyTo(text);
    }

    private static Stream<Arguments> each(Request... requests) {
        return Arrays.stream(requests)
                .flatMap(request -> Arrays.stream(Cut.values()).map(cut -> Arguments.of(request, cut)));
    }

    private void connect(Request about, String name, Duration lease) {
        network = TcpProxy.to(server.port());
        isolated = about.kind.open(database.url(server, network.port()), lease);
        other = about.kind.open(database.url(server), lease);
        lock = isolated.lock(name);
        othersLock = other.lock(name);
        // Connections are open now, and the row is there.
        lock.acquire().close();
    }

    @AfterEach
    void disconnect() {
        isolated.close();
        other.close();
        network.close();
    }

    static Stream<Arguments> acquisitions() {
        return each(Request.TAKE, Request.LOCK);
    }

    /** One statement waits for a lock that is held, and another one writes the row. */
    static Stream<Arguments> acquisitionsOfWaiters() {
        return each(Request.TAKE, Request.QUEUE, Request.LOCK, Request.WAIT, Request.GRANT);
    }

    @ParameterizedTest
    @MethodSource("acquisitions")
    void acquisitionIsMadeOnce(Request request, Cut when) {
        connect(request, "once-" + request + when, LEASE);
        PlannedCut cut = plan(request, when);

        Lease lease = lock.acquire(LIMIT);

        cut.await(LIMIT);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(othersLock.inspect().holders())
                .singleElement()
                .satisfies(holder -> assertThat(holder.token()).isEqualTo(lease.token()));
        assertThat(othersLock.tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
        assertFree(lease.token());
    }

    @ParameterizedTest
    @MethodSource("acquisitions")
    void oneAttemptIsMadeOnce(Request request, Cut when) {
        connect(request, "attempt-" + request + when, LEASE);
        PlannedCut cut = plan(request, when);

        Optional<Lease> lease = attempt();

        cut.await(LIMIT);
        lease.ifPresent(held -> {
            assertThat(othersLock.tryAcquire()).isEmpty();
            assertThat(held.release()).isTrue();
        });
        assertFree(lease.map(Lease::token).orElse(0L));
    }

    @ParameterizedTest
    @MethodSource("acquisitionsOfWaiters")
    void waiterIsServedOnce(Request request, Cut when) {
        connect(request, "waiter-" + request + when, LEASE);
        Lease holder = othersLock.acquire();
        PlannedCut cut = plan(request, when);

        CompletableFuture<Lease> waiter = lock.acquireAsync(LIMIT);
        if (request == Request.GRANT || (request == Request.WAIT && when == Cut.AFTER_EXECUTION)) {
            try (Database.Admin admin = database.admin(server)) {
                Eventually.holds("it waits", () -> admin.waiters().size() == 1);
            }
        } else {
            cut.await(LIMIT);
        }
        assertThat(waiter).isNotDone();
        holder.close();

        cut.await(LIMIT);
        Lease lease = Eventually.comes(waiter);
        assertThat(lease.token()).isGreaterThan(holder.token());
        assertThat(lease.release()).isTrue();
        assertFree(lease.token());
    }

    static Stream<Arguments> releases() {
        return each(Request.RELEASE, Request.UNLOCK);
    }

    @ParameterizedTest
    @MethodSource("releases")
    void releaseLeavesNothingHeld(Request request, Cut when) {
        connect(request, "release-" + request + when, LEASE);
        Lease lease = lock.acquire();
        PlannedCut cut = plan(request, when);

        boolean ours = lease.release();

        cut.await(LIMIT);
        // A second attempt cannot distinguish its own first one from an expiry; but it never reports a release that did
        // not happen.
        assertThat(ours || when == Cut.AFTER_EXECUTION).isTrue();
        assertFree(lease.token());
    }

    static Stream<Arguments> releasesToWaiters() {
        return each(Request.HAND_OVER, Request.UNLOCK);
    }

    @ParameterizedTest
    @MethodSource("releasesToWaiters")
    void releaseHandsTheNameOnOnce(Request request, Cut when) {
        connect(request, "hand-on-" + request + when, LEASE);
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiter = othersLock.acquireAsync(LIMIT);
        if (database == Database.POSTGRES && request == Request.HAND_OVER) {
            try (Sql sql = Sql.at(database.url(server))) {
                Eventually.holds(
                        "it is queued",
                        () -> sql.number(
                                        "SELECT count(*) FROM holdfast_lease WHERE queue <> '' AND name = ?",
                                        "hand-on-" + request + when)
                                == 1);
            }
        }
        PlannedCut cut = plan(request, when);

        lease.release();

        cut.await(LIMIT);
        Lease next = Eventually.comes(waiter);
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(next.release()).as("the repeated release has not touched it").isTrue();
        assertFree(next.token());
    }

    static Stream<Arguments> renewals() {
        return each(Request.RENEW, Request.COMMIT);
    }

    @ParameterizedTest
    @MethodSource("renewals")
    void renewalIsMadeAllTheSame(Request request, Cut when) {
        connect(request, "renew-" + request + when, Duration.ofSeconds(3));
        Lease lease = lock.acquire();
        PlannedCut cut = plan(request, when);

        cut.await(LIMIT);
        Eventually.renewed(lease);

        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(othersLock.tryAcquire()).isEmpty();
        assertThat(lease.release()).isTrue();
        assertFree(lease.token());
    }

    /** The lock is lost with its session. */
    @ParameterizedTest
    @EnumSource
    void sessionThatIsCutAtARenewalIsReportedAsALoss(Cut when) {
        connect(Request.CHECK, "check-" + when, Duration.ofSeconds(3));
        Lease lease = lock.acquire();
        PlannedCut cut = plan(Request.CHECK, when);

        cut.await(LIMIT);
        Eventually.state(lease, LeaseState.LOST);

        assertThat(lease.release()).isFalse();
        assertFree(lease.token());
    }

    /** One attempt may fail because the store is unavailable, which is a result, too. */
    private Optional<Lease> attempt() {
        try {
            return lock.tryAcquire();
        } catch (RuntimeException unavailable) {
            return Optional.empty();
        }
    }

    private void assertFree(long lastToken) {
        Lease next = othersLock.tryAcquire(LIMIT).orElseThrow(() -> new AssertionError("free, but not acquired"));
        assertThat(next.token()).isGreaterThan(lastToken);
        assertThat(next.release()).isTrue();
        assertThat(othersLock.inspect().isFree()).isTrue();
    }
}
