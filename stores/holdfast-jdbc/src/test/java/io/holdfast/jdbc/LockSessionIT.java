package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.holdfast.servers.SqlServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.StoreClient;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * On MariaDB a session that is to take the same lock again gives it back although somebody may be about to end the session for
 * it, which is who has the row locked. On PostgreSQL nobody gives back what is being revoked.
 */
class LockSessionIT {

    private static SqlServer server;
    private static StoreClient claims;

    private final LockSession session = session();
    private final LockSession rival = session();
    private Database.Admin breaker;
    private Claim meant;

    @BeforeAll
    static void start() {
        server = Database.MARIADB.start();
        claims = new StoreClient(Kind.SESSION_LOCKS.at(server.url())::open);
    }

    @AfterAll
    static void stop() {
        claims.close();
        server.close();
    }

    @BeforeEach
    void giveBackWhatIsBeingRevoked() throws SQLException {
        meant = claims.claim("meant", Claim.Mode.TRY);
        assertThat(session.lock(meant)).isTrue();
        session.grant(meant);
        breaker = Database.MARIADB.admin(server);
        breaker.execute("BEGIN", "SELECT * FROM holdfast_session WHERE name = 'meant' FOR UPDATE");
        assertThat(session.unlock(true)).isTrue();
    }

    @AfterEach
    void close() {
        breaker.close();
        session.discard();
        rival.discard();
    }

    @Test
    void takesNoLockOfAnotherNameWhileItMayBeMeant() {
        assertIsMeant();
    }

    @Test
    void asksInVainForTheSameLockAndMayStillBeMeant() throws SQLException {
        assertThat(rival.lock(claims.claim("meant", Claim.Mode.TRY))).isTrue();
        assertThat(session.lock(claims.claim("meant", Claim.Mode.TRY))).isFalse();

        assertIsMeant();
    }

    @Test
    void takesAnyLockWhenTheRevocationIsOver() throws SQLException {
        breaker.execute("ROLLBACK");

        assertThat(session.lock(claims.claim("other", Claim.Mode.TRY))).isTrue();
    }

    private void assertIsMeant() {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> session.lock(claims.claim("other", Claim.Mode.TRY)))
                .withMessageContaining("It may be about to be ended for 'meant'")
                .satisfies(failure -> assertThat(SessionDialect.isEnd(failure)).isTrue());
        assertThat(session.isUseless()).isTrue();
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
}
