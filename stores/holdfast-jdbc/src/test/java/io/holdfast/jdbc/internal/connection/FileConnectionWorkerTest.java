package io.holdfast.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.jdbc.internal.dialect.SqliteDialect;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.Ticker;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileConnectionWorkerTest {

    /** SQLite's driver would treat the next transaction as begun already, and each statement would be executed without one. */
    @Test
    void connectionWhoseTransactionCouldNotBeginIsNotUsedAgain(@TempDir Path folder) throws SQLException {
        Path file = folder.resolve("locks");
        try (ConnectionWorker worker = new ConnectionWorker(
                        "worker",
                        UrlConnectionSource.ofFile(file),
                        new SqliteDialect(),
                        Duration.ofSeconds(1),
                        Ticker.system());
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            worker.call(ConnectionWorker.Priority.REQUEST, session -> session.inTransaction(same -> true))
                    .join();
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> worker.call(
                                    ConnectionWorker.Priority.REQUEST, session -> session.inTransaction(same -> true))
                            .join())
                    .hasCauseInstanceOf(SQLException.class);
            statement.execute("ROLLBACK");

            assertThat(worker.call(
                                    ConnectionWorker.Priority.REQUEST,
                                    session -> session.connection().getAutoCommit())
                            .join())
                    .isTrue();
            assertThat(worker.call(ConnectionWorker.Priority.REQUEST, session -> session.inTransaction(same -> true))
                            .join())
                    .isTrue();
            worker.stop();
        }
    }

    /** A caller that catches the failure, as a batch of renewals does, must not continue without a transaction: two could hold a lock then. */
    @Test
    void nothingRunsAfterATransactionThatCouldNotBegin(@TempDir Path folder) throws SQLException {
        Path file = folder.resolve("locks");
        try (Session session = UrlConnectionSource.ofFile(file).open(Duration.ofSeconds(1));
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            session.inTransaction(same -> true);
            statement.execute("BEGIN IMMEDIATE");
            assertThatThrownBy(() -> session.inTransaction(same -> true))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            busy -> assertThat(new SqliteDialect().isCollision(busy))
                                    .isTrue());
            statement.execute("ROLLBACK");
            List<String> done = new ArrayList<>();

            for (Session.Work<Boolean> work : List.<Session.Work<Boolean>>of(
                    same -> session.inTransaction(again -> done.add("a transaction")),
                    same -> session.singleStatement(again -> done.add("a statement")))) {
                assertThatThrownBy(() -> work.on(session))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                refused -> assertThat(new SqliteDialect().isCollision(refused))
                                        .isFalse());
            }

            assertThat(done).isEmpty();
        }
    }

    /** Only one connection can prepare a new file; SQLite fails the others at once, without waiting. */
    @Test
    void processesThatStartTogetherOnANewFileAllGetIt(@TempDir Path folder) throws Exception {
        int processes = 8;
        int rounds = 200;
        CyclicBarrier barrier = new CyclicBarrier(processes);
        ExecutorService threads = Executors.newFixedThreadPool(processes);
        try {
            List<Future<Integer>> all = IntStream.range(0, processes)
                    .mapToObj(index -> threads.submit(() -> {
                        for (int round = 0; round < rounds; round++) {
                            barrier.await();
                            UrlConnectionSource.ofFile(folder.resolve("locks-" + round))
                                    .open(Duration.ofSeconds(5))
                                    .close();
                        }
                        return rounds;
                    }))
                    .toList();
            for (Future<Integer> each : all) {
                assertThat(each.get()).isEqualTo(rounds);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** A rollback() of that driver fails if the transaction that it begins after it cannot begin. */
    @Test
    void connectionWhoseTransactionCouldNotBeRolledBackIsNotUsedAgain(@TempDir Path folder) {
        try (ConnectionWorker worker = new ConnectionWorker(
                "worker",
                UrlConnectionSource.ofFile(folder.resolve("locks")),
                new SqliteDialect(),
                Duration.ofSeconds(1),
                Ticker.system())) {
            assertThatThrownBy(() -> worker.call(
                                    ConnectionWorker.Priority.REQUEST,
                                    session ->
                                            session.inTransaction(FileConnectionWorkerTest::refusedWithoutTransaction))
                            .join())
                    .hasCauseInstanceOf(RefusedException.class);

            assertThat(worker.call(
                                    ConnectionWorker.Priority.REQUEST,
                                    session -> session.connection().getAutoCommit())
                            .join())
                    .isTrue();
            worker.stop();
        }
    }

    private static boolean refusedWithoutTransaction(Session session) throws SQLException {
        try (Statement statement = session.connection().createStatement()) {
            statement.execute("ROLLBACK");
        }
        throw new RefusedException("no");
    }
}
