package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiter is the next for a moment: also if it dies, and if the clock of the database is set back then. */
class ReservationTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"h2", "sqlite"})
    void reservationFromBeforeTheClockWasSetBackDoesNotCount(String kind) {
        String url = url(kind);
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(url).createTables()::open)
                        .build();
                Sql sql = Sql.at(url)) {
            holdfast.lock("apples").run(lease -> {});
            long now = sql.number("SELECT granted_at FROM holdfast_lease");

            sql.update("UPDATE holdfast_lease SET next_claim = '00000000000000aa-1', next_until = ?", now + hour());

            assertThat(holdfast.lock("apples").tryAcquire()).hasValueSatisfying(Lease::close);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "sqlite"})
    void claimThatIsTheNextHasPriority(String kind) {
        String url = url(kind);
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(url).createTables()::open)
                        .build();
                Sql sql = Sql.at(url)) {
            holdfast.lock("apples").run(lease -> {});
            long now = sql.number("SELECT granted_at FROM holdfast_lease");

            sql.update(
                    "UPDATE holdfast_lease SET next_claim = '00000000000000aa-1', next_until = ?",
                    now + Dialect.LONGEST_RESERVATION - 1_000_000);

            assertThat(holdfast.lock("apples").tryAcquire()).isEmpty();
        }
    }

    private String url(String kind) {
        return kind.equals("h2")
                ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
                : StoreKind.SQLITE + folder.resolve("locks");
    }

    private static long hour() {
        return Duration.ofHours(1).toNanos() / 1_000;
    }
}
