package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.dialect.MySqlDialect;
import io.holdfast.jdbc.internal.dialect.PostgresDialect;
import io.holdfast.jdbc.internal.session.LockSession;
import io.holdfast.jdbc.internal.session.SessionDialect;
import io.holdfast.servers.Direction;
import io.holdfast.servers.ProxiedConnection;
import io.holdfast.servers.SqlServer;
import io.holdfast.servers.TcpProxy;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Successive claims of one process for a session lock use one connection, however the first one ends. */
@ParameterizedClass
@EnumSource
class SuccessionIT {

    private static final Duration LEASE = Duration.ofSeconds(60);

    private static final int ROUNDS = 60;

    private static SqlServer server;

    private final Database database;
    private Database.Admin admin;
    private StoreClient client;
    private final List<Claim> claims = new ArrayList<>();

    SuccessionIT(Database database) {
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
        // Or the sweep would open another connection.
        client = StoreClient.withoutTimers(Kind.SESSION_LOCKS.at(server.url()));
        Eventually.holds("no session is connected", () -> admin.sessions().isEmpty());
    }

    @AfterEach
    void disconnect() {
        // What is held stays for as long as its lease, also when the store is closed.
        claims.forEach(claim -> Eventually.comes(client.store().release(claim)));
        client.close();
        admin.close();
    }

    private CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        claims.add(claim);
        return client.store().acquire(claim);
    }

    private Grant granted(CompletableFuture<Optional<Grant>> answer) {
        return Eventually.comes(answer).orElseThrow();
    }

    private RenewalRequest.Outcome renew(Claim claim) {
        return Eventually.comes(client.store().renew(List.of(new RenewalRequest(claim, LEASE))))
                .get(0);
    }

    /** The order of the two is not defined: the thread that releases may be slower than the one that claims. */
    @Test
    void claimThatOvertakesTheReleaseContinuesWithItsConnection() {
        Claim first = client.claim("overtaken", Claim.Mode.TRY);
        Claim second = client.claim("overtaken", Claim.Mode.WAIT);
        Grant before = granted(acquire(first));
        List<Long> connections = admin.sessions();

        CompletableFuture<Optional<Grant>> next = acquire(second);
        CompletableFuture<Boolean> released = client.store().release(first);

        assertThat(granted(next).firstToken()).isGreaterThan(before.firstToken());
        assertThat(Eventually.comes(released)).isTrue();
        assertThat(admin.sessions()).hasSize(1).isEqualTo(connections);
    }

    /** Also in a callback, which runs on the thread that has released the lock. */
    @Test
    void connectionIsFreeForAnotherNameWhenTheReleaseIsAnswered() {
        try (StoreClient one =
                StoreClient.withoutTimers(Kind.SESSION_LOCKS.at(server.url()).connections(1))) {
            Claim first = one.claim("one", Claim.Mode.TRY);
            Claim second = one.claim("another", Claim.Mode.TRY);
            assertThat(one.acquires(first)).isTrue();

            CompletableFuture<Boolean> next = one.store().release(first).thenApply(released -> one.acquires(second));

            assertThat(Eventually.comes(next)).isTrue();
            assertThat(Eventually.comes(one.store().release(second))).isTrue();
        }
    }

    @Test
    void attemptAtALockOfThisProcessUsesNoConnection() {
        Claim first = client.claim("attempted", Claim.Mode.TRY);
        granted(acquire(first));

        assertThat(Eventually.comes(acquire(client.claim("attempted", Claim.Mode.TRY))))
                .isEmpty();

        assertThat(admin.sessions()).hasSize(1);
    }

    @Test
    void claimContinuesWhenTheOneBeforeLosesItsSession() {
        Claim first = client.claim("lost", Claim.Mode.TRY);
        granted(acquire(first));
        CompletableFuture<Optional<Grant>> next = acquire(client.claim("lost", Claim.Mode.WAIT));
        admin.sessions().forEach(session -> admin.execute(database.end(session)));

        assertThat(renew(first)).isEqualTo(RenewalRequest.Outcome.GONE);

        granted(next);
    }

    @Test
    void claimContinuesWhenTheOneBeforeIsRevoked() {
        Claim first = client.claim("revoked", Claim.Mode.TRY);
        long token = granted(acquire(first)).firstToken();
        CompletableFuture<Optional<Grant>> next = acquire(client.claim("revoked", Claim.Mode.WAIT));

        assertThat(Eventually.comes(client.store().revoke("revoked", token))).isTrue();

        assertThat(granted(next).firstToken()).isGreaterThan(token);
    }

    @Test
    void claimContinuesWhenTheLeaseBeforeExpires() {
        try (StoreClient timed = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            Claim next = timed.claim("over", Claim.Mode.WAIT);
            assertThat(timed.acquires(timed.claim("over", Claim.Mode.TRY, Duration.ofSeconds(1))))
                    .isTrue();

            assertThat(timed.acquires(next)).isTrue();

            assertThat(Eventually.comes(timed.store().release(next))).isTrue();
        }
    }

    /** The server has ended the session, and the timer of this process has not run yet. */
    @Test
    void releaseOfAnExpiredLeaseIsFalseAndTheNextClaimContinues() {
        Claim first = client.claim("ended", Claim.Mode.TRY, Duration.ofSeconds(1));
        granted(acquire(first));
        CompletableFuture<Optional<Grant>> next = acquire(client.claim("ended", Claim.Mode.WAIT));
        Eventually.holds("the session has ended", () -> admin.holders().isEmpty());

        assertThat(Eventually.comes(client.store().release(first))).isFalse();

        granted(next);
    }

    /** It expired while the response was missing, not before the request was sent, which the server may have executed. */
    @Test
    void releaseThatIsNotAnsweredIsUnknownAlsoIfTheLeaseIsOverByThen() {
        try (TcpProxy network = TcpProxy.to(server.port());
                StoreClient far =
                        StoreClient.withoutTimers(Kind.SESSION_LOCKS.at(database.url(server, network.port())))) {
            Claim claim = far.claim("unanswered", Claim.Mode.TRY, Duration.ofSeconds(3));
            assertThat(far.acquires(claim)).isTrue();
            network.stall(Direction.TO_CLIENT);

            CompletableFuture<Boolean> released = far.store().release(claim);

            Eventually.holds("the store gives up", released::isDone);
            assertThat(released).isCompletedExceptionally();
            network.cut();
        }
    }

    /** Its lease has not expired for this process, but the server reports that it has ended the session. */
    @Test
    void releaseOnASessionThatTheServerHasEndedIsFalse() {
        assumeTrue(database == Database.POSTGRES, "others only close the connection");
        Claim first = client.claim("terminated", Claim.Mode.TRY);
        granted(acquire(first));
        admin.end(admin.holders());
        Eventually.holds("it has ended", () -> admin.holders().isEmpty());

        assertThat(Eventually.comes(client.store().release(first))).isFalse();
    }

    @Test
    void readerContinuesWhenTheWriterBeforeIsDowngraded() {
        assumeTrue(
                client.store().capabilities().sharing() == Capabilities.Sharing.READ_WRITE,
                "there are no shared locks here");
        Claim writer = client.readWriteClaim("shared", Claim.Mode.TRY, Claim.READ_WRITE);
        granted(acquire(writer));
        CompletableFuture<Optional<Grant>> reader = acquire(client.readWriteClaim("shared", Claim.Mode.WAIT, 1));

        assertThat(renew(writer.withUnits(1))).isEqualTo(RenewalRequest.Outcome.KEPT);

        granted(reader);
        assertThat(renew(writer.withUnits(1))).isEqualTo(RenewalRequest.Outcome.KEPT);
    }

    /** It was the successor of the reader, but the database grants the lock to a writer of this process that waits there. */
    @Test
    void attemptDoesNotWaitForAnotherHolder() {
        assumeTrue(
                client.store().capabilities().sharing() == Capabilities.Sharing.READ_WRITE,
                "there are no shared locks here");
        try (TcpProxy network = TcpProxy.to(server.port());
                StoreClient slow = StoreClient.withoutTimers(Kind.SESSION_LOCKS.at(server.url(network.port())))) {
            Claim reader = slow.readWriteClaim("raced", Claim.Mode.TRY, 1);
            assertThat(slow.acquires(reader)).isTrue();
            List<ProxiedConnection> ofReader = network.carrying("");
            Claim writer = slow.readWriteClaim("raced", Claim.Mode.WAIT, Claim.READ_WRITE);
            CompletableFuture<Optional<Grant>> written = slow.store().acquire(writer);
            Eventually.holds("it waits", () -> admin.waiters().size() == 1);

            network.carrying("").forEach(connection -> connection.stall(Direction.TO_CLIENT));
            CompletableFuture<Boolean> released = slow.store().release(reader);
            CompletableFuture<Optional<Grant>> attempt =
                    slow.store().acquire(slow.readWriteClaim("raced", Claim.Mode.TRY, Claim.READ_WRITE));
            network.carrying("").stream()
                    .filter(connection -> !ofReader.contains(connection))
                    .forEach(connection -> connection.flow(Direction.TO_CLIENT));

            assertThat(Eventually.comes(written)).isPresent();
            assertThat(Eventually.comes(attempt)).isEmpty();
            ofReader.forEach(connection -> connection.flow(Direction.TO_CLIENT));
            assertThat(Eventually.comes(released)).isTrue();
            assertThat(Eventually.comes(slow.store().release(writer))).isTrue();
        }
    }

    @Test
    void withdrawnClaimIsNotFollowed() {
        Claim first = client.claim("withdrawn", Claim.Mode.TRY);
        Claim second = client.claim("withdrawn", Claim.Mode.WAIT);
        Claim third = client.claim("withdrawn", Claim.Mode.WAIT);
        granted(acquire(first));
        CompletableFuture<Optional<Grant>> withdrawn = acquire(second);

        assertThat(Eventually.comes(client.store().release(second))).isFalse();
        assertThat(withdrawn).isCompletedExceptionally();

        CompletableFuture<Optional<Grant>> next = acquire(third);
        assertThat(Eventually.comes(client.store().release(first))).isTrue();
        granted(next);
        assertThat(admin.sessions()).hasSize(1);
    }

    /** It may wait for a thread that uses the store. */
    @Test
    void callbackOfAWithdrawnClaimDoesNotBlockTheStore() {
        granted(acquire(client.claim("blocked", Claim.Mode.TRY)));
        Claim second = client.claim("blocked", Claim.Mode.WAIT);
        CompletableFuture<Boolean> callback = usingTheStore(acquire(second));

        assertThat(Eventually.comes(client.store().release(second))).isFalse();

        assertThat(Eventually.comes(callback)).isFalse();
    }

    /** It may wait for the next claim, which uses the session of the lock that was released. */
    @Test
    void callbackOfAReleaseDoesNotBlockTheNextClaim() {
        Claim first = client.claim("answered", Claim.Mode.TRY);
        granted(acquire(first));
        CompletableFuture<Optional<Grant>> next = acquire(client.claim("answered", Claim.Mode.WAIT));

        CompletableFuture<Grant> callback = client.store().release(first).thenApply(released -> granted(next));

        assertThat(Eventually.comes(callback).claim().name()).isEqualTo("answered");
    }

    @Test
    void callbackOfAPendingClaimDoesNotBlockCloseOfTheStore() {
        Claim first = client.claim("closed", Claim.Mode.TRY);
        granted(acquire(first));
        CompletableFuture<Boolean> callback = usingTheStore(acquire(client.claim("closed", Claim.Mode.WAIT)));

        client.store().close();

        assertThat(Eventually.comes(callback)).isFalse();
    }

    /** Releases what was never acquired, on another thread. */
    private CompletableFuture<Boolean> usingTheStore(CompletableFuture<?> answer) {
        Claim unknown = client.claim("unknown", Claim.Mode.TRY);
        return answer.handle((grant, failure) -> Eventually.comes(CompletableFuture.supplyAsync(
                () -> client.store().release(unknown).join())));
    }

    @Test
    void claimCanBeWithdrawnWhenAnotherOneHasTheLockOfTheOneBefore() {
        Claim first = client.claim("overtaking", Claim.Mode.TRY);
        Claim second = client.claim("overtaking", Claim.Mode.WAIT);
        Claim third = client.claim("overtaking", Claim.Mode.WAIT);
        granted(acquire(first));
        CompletableFuture<Optional<Grant>> withdrawn = acquire(second);
        CompletableFuture<Optional<Grant>> next = acquire(third);
        Eventually.holds("it waits in the database", () -> admin.waiters().size() == 1);
        admin.end(admin.holders());
        granted(next);

        assertThat(Eventually.comes(client.store().release(second))).isFalse();

        assertThat(withdrawn).isCompletedExceptionally();
        assertThat(renew(first)).isEqualTo(RenewalRequest.Outcome.GONE);
    }

    /** A server or a firewall ends idle connections; that does not concern the lock. */
    @Test
    void idleSessionThatHasEndedIsReplaced() {
        Claim first = client.claim("idle", Claim.Mode.TRY);
        granted(acquire(first));
        assertThat(Eventually.comes(client.store().release(first))).isTrue();
        admin.sessions().forEach(session -> admin.execute(database.end(session)));
        Eventually.holds("it has ended", () -> admin.sessions().isEmpty());

        granted(acquire(client.claim("idle", Claim.Mode.TRY)));
    }

    /** It is a result about the lock, not a failure of the store. */
    @Test
    void attemptOnAnIdleSessionThatHasEndedFindsTheLockHeld() {
        try (StoreClient other = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            Claim before = client.claim("ended", Claim.Mode.TRY);
            granted(acquire(before));
            assertThat(Eventually.comes(client.store().release(before))).isTrue();
            List<Long> idle = admin.sessions();
            Claim held = other.claim("ended", Claim.Mode.TRY);
            assertThat(other.acquires(held)).isTrue();
            admin.end(idle);
            Eventually.holds("it has ended", () -> admin.sessions().stream().noneMatch(idle::contains));

            assertThat(Eventually.comes(acquire(client.claim("ended", Claim.Mode.TRY))))
                    .isEmpty();

            assertThat(Eventually.comes(other.store().release(held))).isTrue();
        }
    }

    @Test
    void sessionThatWasRefusedAndHasEndedIsReplaced() {
        try (StoreClient other = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            Claim held = other.claim("refused", Claim.Mode.TRY);
            assertThat(other.acquires(held)).isTrue();
            assertThat(Eventually.comes(acquire(client.claim("refused", Claim.Mode.TRY))))
                    .isEmpty();
            assertThat(Eventually.comes(other.store().release(held))).isTrue();
            admin.sessions().forEach(session -> admin.execute(database.end(session)));
            Eventually.holds("both have ended", () -> admin.sessions().isEmpty());

            granted(acquire(client.claim("refused", Claim.Mode.TRY)));
        }
    }

    /** Whichever of the two the database receives first, nothing may remain of the withdrawn claim. */
    @Test
    void withdrawalThatMeetsTheGrantLeavesNothing() {
        try (StoreClient other = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            for (int round = 0; round < ROUNDS; round++) {
                Claim first = client.claim("met", Claim.Mode.TRY);
                Claim second = other.claim("met", Claim.Mode.WAIT);
                granted(acquire(first));
                CompletableFuture<Optional<Grant>> waits = other.store().acquire(second);
                if (round % 2 == 0) {
                    Eventually.holds(
                            "it waits in the database",
                            () -> !admin.numbers(database.waiters()).isEmpty());
                }
                CompletableFuture<Boolean> released = client.store().release(first);
                CompletableFuture<Boolean> withdrawn = other.store().release(second);

                assertThat(Eventually.comes(released)).isTrue();
                Eventually.holds("the withdrawal is answered", withdrawn::isDone);
                Eventually.holds("the claim is answered", waits::isDone);
                Claim next = client.claim("met", Claim.Mode.WAIT);
                granted(acquire(next));
                assertThat(Eventually.comes(client.store().release(next))).isTrue();
            }
        }
    }

    /** It was sent long before, and counted from then, the lease would have expired. */
    @Test
    void leaseOfAWaiterDoesNotCountFromTheBeginningOfItsWait() {
        Duration lease = Duration.ofSeconds(1);
        try (StoreClient other = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            Claim held = other.claim("waited", Claim.Mode.TRY);
            assertThat(other.acquires(held)).isTrue();
            CompletableFuture<Optional<Grant>> waiter = acquire(client.claim("waited", Claim.Mode.WAIT, lease));
            Eventually.holds("it waits", () -> admin.waiters().size() == 1);
            long waiting = System.nanoTime();
            Eventually.holds(
                    "it has waited for longer than its lease", () -> System.nanoTime() - waiting > lease.toNanos());

            long released = System.nanoTime();
            assertThat(Eventually.comes(other.store().release(held))).isTrue();

            assertThat(granted(waiter).countsFrom().nanos() - released).isNotNegative();
        }
    }

    /** The statement that locks, and its snapshot of the table, began before the row was changed. */
    @Test
    void tokenFollowsARowThatWasWrittenSinceTheStatementBegan() {
        assumeTrue(database == Database.POSTGRES, "others read what is newest");
        Claim first = client.claim("old view", Claim.Mode.TRY);
        long before = granted(acquire(first)).firstToken();
        assertThat(Eventually.comes(client.store().release(first))).isTrue();
        long ahead = before + Duration.ofDays(1).toNanos() / 1_000;

        admin.execute("BEGIN", "SELECT pg_advisory_xact_lock(~lock_key) FROM holdfast_session WHERE name = 'old view'");
        CompletableFuture<Optional<Grant>> second = acquire(client.claim("old view", Claim.Mode.TRY));
        Eventually.holds("it waits for the guard", () -> admin.waiters().size() == 1);
        admin.execute("UPDATE holdfast_session SET last_token = " + ahead + " WHERE name = 'old view'", "COMMIT");

        assertThat(granted(second).firstToken()).isEqualTo(ahead + 1);
    }

    /** It is executed while the session holds the lock for another claim, which must stay exclusive. */
    @Test
    void lateRenewalDoesNotChangeTheLockOfTheSuccessor() throws SQLException {
        assumeTrue(database == Database.POSTGRES, "there are no shared locks here");
        Claim first = client.readWriteClaim("late", Claim.Mode.TRY, Claim.READ_WRITE);
        Claim second = client.readWriteClaim("late", Claim.Mode.TRY, Claim.READ_WRITE);
        LockSession session = session(new PostgresDialect());
        for (Claim claim : List.of(first, second)) {
            session.unlock();
            assertThat(session.acquire(claim)).isPresent();
        }

        assertThat(session.renew(new RenewalRequest(first.withUnits(1), LEASE))).isEqualTo(RenewalRequest.Outcome.GONE);

        assertThat(Eventually.comes(acquire(client.readWriteClaim("late", Claim.Mode.TRY, 1))))
                .as("a reader beside the writer")
                .isEmpty();
        session.discard();
    }

    /** MySQL has no statement that writes a row and returns it; MariaDB understands the others, too. */
    @Test
    void statementsOfMySqlExcludeAndCountTokens() throws SQLException {
        assumeTrue(database == Database.MARIADB, "it understands what MySQL does");
        LockSession one = session(new MySqlDialect());
        LockSession other = session(new MySqlDialect());
        Claim first = client.claim("mysql", Claim.Mode.TRY);
        Claim second = client.claim("mysql", Claim.Mode.WAIT);

        Grant before = one.acquire(first).orElseThrow();
        assertThat(other.acquire(client.claim("mysql", Claim.Mode.TRY))).isEmpty();
        assertThat(Eventually.comes(acquire(client.claim("mysql", Claim.Mode.TRY))))
                .isEmpty();
        assertThat(one.unlock()).isTrue();

        assertThat(other.acquire(second))
                .hasValueSatisfying(grant -> assertThat(grant.firstToken()).isGreaterThan(before.firstToken()));
        assertThat(other.unlock()).isTrue();
        assertThat(other.unlock()).isFalse();
        one.discard();
        other.discard();
    }

    private static LockSession session(Dialect dialect) throws SQLException {
        String table = "holdfast_session";
        UrlConnectionSource source = UrlConnectionSource.of(server.url());
        try (Session opened = source.open(LEASE)) {
            String scope = Dialect.identity(dialect.qualified(opened.connection(), table));
            return new LockSession(
                    source, SessionDialect.of(dialect, table, scope), Ticker.system(), Duration.ofSeconds(5));
        }
    }
}
