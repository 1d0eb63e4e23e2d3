package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.internal.StoreSettings;
import io.holdfast.jdbc.internal.connection.ConnectionSource;
import io.holdfast.jdbc.internal.connection.ConnectionWorkers;
import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.jdbc.internal.session.SessionDialect;
import io.holdfast.jdbc.internal.session.SessionLockStore;
import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The machine has no more threads for session locks: no caller waits for ever, and no lock stays held. */
@ParameterizedClass
@EnumSource
class NoThreadIT {

    private static SqlServer server;

    private final Database database;
    private final Threads threads = new Threads();
    private Database.Admin admin;
    private StoreClient client;

    NoThreadIT(Database database) {
        this.database = database;
    }

    @BeforeParameterizedClassInvocation
    static void start(Database database) {
        server = database.start();
        try (StoreClient tables = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            assertThat(tables.store()).isNotNull();
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        admin = database.admin(server);
        client = new StoreClient(environment -> open(server, environment, threads));
    }

    @AfterEach
    void disconnect() {
        client.close();
        Eventually.holds("nothing is held", () -> admin.holders().isEmpty());
        Eventually.holds("no session is connected", () -> admin.sessions().isEmpty());
        admin.close();
    }

    @Test
    void claimIsRefusedAndTheNextOneIsServed() {
        threads.refuse(true);
        assertThatThrownBy(() -> Eventually.comes(client.store().acquire(client.claim("refused", Claim.Mode.WAIT))))
                .hasRootCauseMessage(Threads.NO_MORE);

        threads.refuse(false);
        Claim claim = client.claim("refused", Claim.Mode.WAIT);
        assertThat(Eventually.comes(client.store().acquire(claim))).isPresent();
        assertThat(Eventually.comes(client.store().release(claim))).isTrue();
    }

    @Test
    void lockIsReleasedNeverthelessAndWaitersOfTheProcessFail() {
        Claim holder = client.claim("left", Claim.Mode.TRY);
        assertThat(Eventually.comes(client.store().acquire(holder))).isPresent();
        CompletableFuture<Optional<Grant>> next = client.store().acquire(client.claim("left", Claim.Mode.WAIT));

        threads.refuse(true);

        assertThat(client.store().release(holder)).isCompletedWithValue(true);
        assertThatThrownBy(() -> Eventually.comes(next)).hasRootCauseMessage(Threads.NO_MORE);
        assertThat(admin.holders()).isEmpty();
    }

    /** It may wait for another thread, which uses the store. */
    @Test
    void callbackOfTheSuccessorThatIsRefusedDoesNotBlockTheStore() {
        Claim holder = client.claim("revoked", Claim.Mode.TRY);
        Claim unknown = client.claim("unknown", Claim.Mode.TRY);
        Grant grant = Eventually.comes(client.store().acquire(holder)).orElseThrow();
        CompletableFuture<Boolean> callback = client.store()
                .acquire(client.claim("revoked", Claim.Mode.WAIT))
                .handle((none, failure) -> Eventually.comes(CompletableFuture.supplyAsync(
                        () -> client.store().release(unknown).join())));

        threads.refuse(true);

        assertThat(Eventually.comes(client.store().revoke("revoked", grant.firstToken())))
                .isTrue();
        assertThat(Eventually.comes(callback)).isFalse();
    }

    @Test
    void waitInTheDatabaseIsCutOffWhenItIsWithdrawn() {
        try (StoreClient other = new StoreClient(Kind.SESSION_LOCKS.at(server.url()))) {
            Claim holder = other.claim("waited", Claim.Mode.TRY);
            assertThat(Eventually.comes(other.store().acquire(holder))).isPresent();
            Claim waiter = client.claim("waited", Claim.Mode.WAIT);
            CompletableFuture<Optional<Grant>> waiting = client.store().acquire(waiter);
            Eventually.holds("it waits", () -> admin.waiters().size() == 1);

            threads.refuse(true);

            assertThat(Eventually.comes(client.store().release(waiter))).isFalse();
            assertThat(waiting).isCompletedExceptionally();
            Eventually.holds("it waits no more", () -> admin.waiters().isEmpty());
            assertThat(Eventually.comes(other.store().release(holder))).isTrue();
        }
    }

    @Test
    void renewalIsUnknownAndLogged() {
        Claim holder = client.claim("renewed", Claim.Mode.TRY);
        assertThat(Eventually.comes(client.store().acquire(holder))).isPresent();
        RenewalRequest renewal = new RenewalRequest(holder, Duration.ofMinutes(1));

        try (LogLines log = LogLines.ofHoldfast()) {
            threads.refuse(true);
            assertThat(client.store().renew(List.of(renewal)))
                    .isCompletedWithValue(List.of(RenewalRequest.Outcome.UNKNOWN));
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("lease of 'renewed' could not be renewed", Threads.NO_MORE);
        }

        threads.refuse(false);
        assertThat(Eventually.comes(client.store().renew(List.of(renewal))))
                .containsExactly(RenewalRequest.Outcome.KEPT);
        assertThat(Eventually.comes(client.store().release(holder))).isTrue();
    }

    /** A store that uses these threads. */
    static LockStore open(SqlServer server, Environment environment, ExecutorService threads) {
        ConnectionSource source = UrlConnectionSource.of(server.url());
        StoreSettings settings = new StoreSettings("holdfast_session", 2, Duration.ofSeconds(5), Duration.ofDays(1));
        Duration timeout = settings.timeout();
        try (Session session = source.open(timeout)) {
            Dialect dialect = Dialect.of(session.connection());
            String scope = Dialect.identity(dialect.qualified(session.connection(), settings.table()));
            return new SessionLockStore(
                    source,
                    environment,
                    SessionDialect.of(dialect, settings.table(), scope),
                    settings,
                    threads,
                    new ConnectionWorkers(1, source, dialect, timeout, environment.ticker()));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** As many threads as requested, or none: then it fails as the JVM does when the system has no more. */
    private static final class Threads extends ThreadPoolExecutor {

        static final String NO_MORE = "unable to create native thread";

        private volatile boolean refuses;

        Threads() {
            super(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        }

        void refuse(boolean refuses) {
            this.refuses = refuses;
        }

        @Override
        public void execute(Runnable task) {
            if (refuses) {
                throw new OutOfMemoryError(NO_MORE);
            }
            super.execute(task);
        }
    }
}
