package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.StoreUnavailableException;
import io.holdfast.testkit.Eventually;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sqlite.SQLiteDataSource;

/** A read-only database is refused at once. Root may write every file, so the driver is set to read-only. */
class ReadOnlyFileTest {

    private static final String READ_ONLY = "read-only for this process";

    /** Longer than the limit of the test. */
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:sqlite:file:%s?mode=ro", "jdbc:sqlite:%s?open_mode=1"})
    void databaseThatIsOpenedReadOnlyIsRefusedWhenTheStoreIsOpened(String url) {
        Path file = folder.resolve("locks");
        Holdfast.connect("file:" + file).close();

        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.connect(url.formatted(file)))
                .withMessageContaining(file.toString())
                .withMessageContaining(READ_ONLY);
        try (Holdfast holdfast = Holdfast.connect("file:" + file)) {
            holdfast.lock("apples").run(lease -> {});
        }
    }

    @Test
    void readOnlyDatabaseIsReportedAtOnceAndUsedAgainWhenItIsWritable() throws Exception {
        SwitchedDataSource database = new SwitchedDataSource(folder.resolve("locks"));
        try (Holdfast holdfast = Kind.open(JdbcStore.leaseTable(database).createTables(), LONG)) {
            Lease before = holdfast.lock("apples").acquire();
            assertThat(before.release()).isTrue();
            database.readOnly(true);

            CompletableFuture<Lease> waits = holdfast.lock("apples").acquireAsync(LONG);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> waits.get(Eventually.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .withCauseInstanceOf(HoldfastException.class)
                    .withMessageContaining(READ_ONLY)
                    .satisfies(
                            thrown -> assertThat(thrown.getCause()).isNotInstanceOf(StoreUnavailableException.class));
            assertThatExceptionOfType(HoldfastException.class)
                    .isThrownBy(() -> holdfast.lock("apples").tryAcquire())
                    .withMessageContaining(READ_ONLY);
            assertThatExceptionOfType(HoldfastException.class)
                    .isThrownBy(() -> holdfast.semaphore("pears", 3).tryAcquire())
                    .withMessageContaining(READ_ONLY);

            database.readOnly(false);
            Lease next = holdfast.lock("apples").acquire();
            assertThat(next.token()).isGreaterThan(before.token());
            assertThat(next.release()).isTrue();
        }
    }

    /** It is not read-only. */
    @Test
    void databaseInWhichAnotherOneWritesIsNotRefused() throws Exception {
        Path file = folder.resolve("locks");
        Holdfast.connect("file:" + file).close();
        try (Connection other = new SwitchedDataSource(file).getConnection();
                Statement statement = other.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            try (Holdfast holdfast =
                    Kind.open(JdbcStore.leaseTable("jdbc:sqlite:" + file).timeout(Duration.ofMillis(200)), LONG)) {
                statement.execute("ROLLBACK");
                holdfast.lock("apples").run(lease -> {});
            }
        }
    }

    /** Its connections are read-only or not, by a switch. */
    private static final class SwitchedDataSource extends SQLiteDataSource {

        private final List<Connection> opened = new CopyOnWriteArrayList<>();
        private volatile boolean readOnly;

        SwitchedDataSource(Path file) {
            setUrl("jdbc:sqlite:" + file);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            opened.add(connection);
            set(connection);
            return connection;
        }

        void readOnly(boolean now) throws SQLException {
            readOnly = now;
            for (Connection connection : opened) {
                try {
                    set(connection);
                } catch (SQLException failure) {
                    // The store may close it at any time.
                    if (!connection.isClosed()) {
                        throw failure;
                    }
                }
            }
        }

        private void set(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("PRAGMA query_only = " + (readOnly ? 1 : 0));
            }
        }
    }
}
