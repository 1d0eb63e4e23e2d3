package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Ticker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLaneTest {

    /** SQLite's driver would take the next transaction for one that has begun already, and each statement would stand alone. */
    @Test
    void connectionWhoseTransactionCouldNotBeginIsNotUsedAgain(@TempDir Path folder) throws SQLException {
        Path file = folder.resolve("locks");
        try (Lane lane = new Lane("lane", FileUrl.source(file), new Sqlite(), Duration.ofMillis(100), Ticker.system());
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            lane.call(session -> session.inTransaction(same -> true)).join();
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> lane.call(session -> session.inTransaction(same -> true))
                            .join())
                    .hasCauseInstanceOf(SQLException.class);
            statement.execute("ROLLBACK");

            assertThat(lane.call(session -> session.connection().getAutoCommit())
                            .join())
                    .isTrue();
            assertThat(lane.call(session -> session.inTransaction(same -> true)).join())
                    .isTrue();
            lane.stop();
        }
    }

    /** A rollback() of that driver fails if the transaction that it begins after it cannot begin. */
    @Test
    void connectionWhoseTransactionCouldNotBeRolledBackIsNotUsedAgain(@TempDir Path folder) {
        try (Lane lane = new Lane(
                "lane",
                FileUrl.source(folder.resolve("locks")),
                new Sqlite(),
                Duration.ofSeconds(1),
                Ticker.system())) {
            assertThatThrownBy(
                            () -> lane.call(session -> session.inTransaction(FileLaneTest::refusedWithoutTransaction))
                                    .join())
                    .hasCauseInstanceOf(RefusedException.class);

            assertThat(lane.call(session -> session.connection().getAutoCommit())
                            .join())
                    .isTrue();
            lane.stop();
        }
    }

    private static boolean refusedWithoutTransaction(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("ROLLBACK");
        }
        throw new RefusedException("no");
    }
}
