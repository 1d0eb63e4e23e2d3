package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * On MariaDB a session that is to take the same lock again gives it back although somebody may be about to end the session for
 * it: whoever has the row locked. On PostgreSQL nobody gives back what is being revoked.
 */
class ReusedSessionIT {

    private static SqlServer server;

    private final Threads threads = new Threads();
    private Database.Admin admin;
    private Database.Admin breaker;
    private StoreClient client;
    private StoreClient rival;
    private final List<Claim> rivals = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = Database.MARIADB.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect() {
        admin = Database.MARIADB.admin(server);
        breaker = Database.MARIADB.admin(server);
        rival = new StoreClient(Kind.SESSION_LOCKS.at(server.url())::open);
        client = new StoreClient(environment -> NoThreadIT.open(server, environment, threads));
    }

    @AfterEach
    void disconnect() {
        breaker.close();
        rivals.forEach(claim ->
                assertThat(Eventually.comes(rival.store().release(claim))).isTrue());
        rival.close();
        client.close();
        Eventually.holds("nothing is held", () -> admin.holders().isEmpty());
        admin.close();
    }

    @Test
    void anotherLockIsTakenByAnotherSession() {
        long meant = sessionThatMayBeMeant();

        Claim claim = client.claim("other", Claim.Mode.TRY);
        assertThat(Eventually.comes(client.store().acquire(claim))).isPresent();

        assertThat(admin.holders()).hasSize(2).doesNotContain(meant);
        assertThat(Eventually.comes(client.store().release(claim))).isTrue();
    }

    @Test
    void anotherLockThatIsTakenIsSaidToBeSo() {
        assertThat(rival.acquires(ofRival("other", Claim.Mode.TRY))).isTrue();
        sessionThatMayBeMeant();

        assertThat(Eventually.comes(client.store().acquire(client.claim("other", Claim.Mode.TRY))))
                .isEmpty();
    }

    @Test
    void anotherLockIsTakenByTheSameSessionWhenTheRevocationIsOver() {
        long meant = sessionThatMayBeMeant();
        breaker.execute("ROLLBACK");

        Claim claim = client.claim("other", Claim.Mode.TRY);
        assertThat(Eventually.comes(client.store().acquire(claim))).isPresent();

        assertThat(admin.holders()).contains(meant);
        assertThat(Eventually.comes(client.store().release(claim))).isTrue();
    }

    /** As it comes about: it has given the lock back for one who wants the same and does not get it, for the rival was first. */
    private long sessionThatMayBeMeant() {
        for (String name : List.of("meant", "other")) {
            Claim earlier = client.claim(name, Claim.Mode.TRY);
            if (Eventually.comes(client.store().acquire(earlier)).isPresent()) {
                assertThat(Eventually.comes(client.store().release(earlier))).isTrue();
            }
        }
        Claim first = client.claim("meant", Claim.Mode.TRY);
        assertThat(Eventually.comes(client.store().acquire(first))).isPresent();
        long session = admin.number("SELECT session FROM holdfast_session WHERE name = 'meant'");
        CompletableFuture<Optional<Grant>> third = rival.store().acquire(ofRival("meant", Claim.Mode.WAIT));
        Eventually.holds("the rival waits", () -> admin.waiters().size() == 1);

        threads.pause();
        CompletableFuture<Boolean> released = client.store().release(first);
        CompletableFuture<Optional<Grant>> second = client.store().acquire(client.claim("meant", Claim.Mode.TRY));
        threads.resume();

        assertThat(Eventually.comes(released)).isTrue();
        assertThat(Eventually.comes(second)).isEmpty();
        assertThat(Eventually.comes(third)).isPresent();
        breaker.execute("BEGIN", "SELECT * FROM holdfast_session WHERE name = 'meant' FOR UPDATE");
        return session;
    }

    private Claim ofRival(String name, Claim.Mode mode) {
        Claim claim = rival.claim(name, mode);
        rivals.add(claim);
        return claim;
    }

    @Test
    void sessionThatIsEndedForWhatItHadTakesNothingElse() throws SQLException {
        LockSession session = session();
        long id = givesBackWhatIsBeingRevoked(session);

        CompletableFuture<Boolean> other =
                whenItWaitsForTheRow("LOCK IN SHARE MODE", () -> session.lock(rival.claim("other", Claim.Mode.TRY)));
        breaker.execute("KILL " + id, "COMMIT");

        assertThatThrownBy(() -> Eventually.comes(other))
                .hasStackTraceContaining("it may be about to be ended for 'meant'");
        assertThat(session.isUseless()).isTrue();
        session.discard();
    }

    @Test
    void sessionThatIsEndedForWhatItHadIsNotGrantedTheSameAgain() throws SQLException {
        LockSession session = session();
        long id = givesBackWhatIsBeingRevoked(session);
        Claim second = rival.claim("meant", Claim.Mode.TRY);
        assertThat(session.lock(second)).isTrue();

        CompletableFuture<Grant> grant =
                whenItWaitsForTheRow("INSERT INTO holdfast_session", () -> session.grant(second));
        breaker.execute("KILL " + id, "COMMIT");

        assertThatThrownBy(() -> Eventually.comes(grant)).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(session.held()).isNull();
        assertThat(session.isUseless()).isTrue();
        session.discard();
    }

    private long givesBackWhatIsBeingRevoked(LockSession session) throws SQLException {
        Claim first = rival.claim("meant", Claim.Mode.TRY);
        assertThat(session.lock(first)).isTrue();
        session.grant(first);
        long id = admin.number("SELECT session FROM holdfast_session WHERE name = 'meant'");
        breaker.execute("BEGIN", "SELECT * FROM holdfast_session WHERE name = 'meant' FOR UPDATE");
        assertThat(session.unlock(true)).isTrue();
        return id;
    }

    private <T> CompletableFuture<T> whenItWaitsForTheRow(String statement, Callable<T> work) {
        CompletableFuture<T> done = CompletableFuture.supplyAsync(() -> {
            try {
                return work.call();
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
        });
        Eventually.holds(
                "it waits for the row", () -> !admin.sessions(statement).isEmpty());
        return done;
    }

    private static LockSession session() {
        Settings settings = Settings.defaults("holdfast_session");
        Source source = UrlSource.of(server.url());
        try (Session first = source.open(settings.timeout())) {
            Dialect dialect = Dialect.of(first.connection());
            String scope = dialect.identity(first.connection(), settings.table());
            return new LockSession(
                    source, SessionDialect.of(dialect, settings.table(), scope), Ticker.system(), settings.timeout());
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    /** As many as are wanted; while they pause, work is put off. */
    private static final class Threads extends ThreadPoolExecutor {

        private final List<Runnable> putOff = new ArrayList<>();
        private boolean pausing;

        Threads() {
            super(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        }

        synchronized void pause() {
            pausing = true;
        }

        synchronized void resume() {
            pausing = false;
            putOff.forEach(super::execute);
            putOff.clear();
        }

        @Override
        public synchronized void execute(Runnable task) {
            if (pausing) {
                putOff.add(task);
            } else {
                super.execute(task);
            }
        }
    }
}
