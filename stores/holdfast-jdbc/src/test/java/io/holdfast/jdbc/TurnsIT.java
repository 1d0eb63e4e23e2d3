package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Owner;
import io.holdfast.servers.PostgresServer;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** Who has waited for long has a turn before those who come and go. Claims ask when the test says so, on a clock that it turns. */
class TurnsIT implements Ticker {

    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final int PATIENCE = 10_000;

    private final AtomicLong later = new AtomicLong();
    private final AtomicLong claims = new AtomicLong();
    private final LeaseSql sql = new LeaseSql(new Postgres(), "holdfast_lease", "holdfast_lease");
    private PostgresServer server;
    private LeaseTable table;

    @BeforeEach
    void open() {
        server = PostgresServer.start();
        Kind.LEASE_TABLE.open(server.url(), LEASE).close();
        Environment environment = new Environment(this, (task, delay) -> () -> {}, Runnable::run, () -> 0.5);
        Settings settings = new Settings("holdfast_lease", 1, Duration.ofSeconds(5), Duration.ofDays(1));
        UrlSource source = UrlSource.of(server.url());
        Dialect dialect = new Postgres();
        Lanes lanes = new Lanes(1, source, dialect, settings.timeout(), this);
        table = new LeaseTable(source, environment, dialect, sql, lanes, source, settings);
    }

    @AfterEach
    void close() {
        table.close();
        server.close();
    }

    @Override
    public long nanos() {
        return Ticker.system().nanos() + later.get();
    }

    @Override
    public long wallMicros() {
        return Ticker.system().wallMicros();
    }

    @Test
    void claimThatWasNotTheNextIsTheOneAfter() {
        Claim holder = claim();
        Claim second = claim();
        Claim third = claim();
        assertThat(isGranted(holder)).isTrue();
        assertThat(isGranted(second)).isFalse();
        assertThat(isGranted(third)).isFalse();
        timePasses();
        assertThat(isGranted(second)).as("it is the next from now on").isFalse();
        assertThat(isGranted(third)).isFalse();
        release(holder);
        assertThat(isGranted(third)).as("it is not the next").isFalse();
        assertThat(isGranted(second)).isTrue();

        timePasses();
        assertThat(isGranted(third)).as("it is the next from now on").isFalse();
        release(second);

        assertThat(isGranted(claim())).as("one that has just come").isFalse();
        assertThat(isGranted(third)).isTrue();
    }

    /** Others were refused for the sake of one that leaves them something: they would sleep beside it. */
    @Test
    void claimThatWasTheNextAndLeavesSomethingTellsTheOthers() throws SQLException {
        try (Sql ear = Sql.at(server.url())) {
            ear.update("LISTEN \"" + sql.channel() + "\"");
            PGConnection words = ear.connection().unwrap(PGConnection.class);
            Claim holder = claim(3, 3);
            Claim next = claim(1, 3);
            Claim other = claim(1, 3);
            assertThat(isGranted(holder)).isTrue();
            assertThat(isGranted(next)).isFalse();
            timePasses();
            assertThat(isGranted(next)).as("it is the next from now on").isFalse();
            release(holder);
            assertThat(words.getNotifications(PATIENCE)).as("the release").hasSize(1);
            assertThat(isGranted(other)).isFalse();

            assertThat(isGranted(next)).isTrue();

            assertThat(words.getNotifications(PATIENCE)).as("there is more").hasSize(1);
            assertThat(isGranted(other)).isTrue();
        }
    }

    private Claim claim() {
        return claim(1, 1);
    }

    private Claim claim(int units, int capacity) {
        ClaimId id = new ClaimId(1, claims.incrementAndGet());
        Owner owner = new Owner("test", 1, "turns", "");
        return new Claim("wanted", id, Claim.Mode.WAIT, units, capacity, LEASE, 1, owner);
    }

    private boolean isGranted(Claim claim) {
        return Eventually.comes(table.attempt(claim)) instanceof Attempt.Granted;
    }

    private void release(Claim claim) {
        assertThat(Eventually.comes(table.release(claim))).isTrue();
    }

    /** So much that somebody who waits has waited for long. */
    private void timePasses() {
        later.addAndGet(2 * new Postgres().patience().toNanos());
    }
}
