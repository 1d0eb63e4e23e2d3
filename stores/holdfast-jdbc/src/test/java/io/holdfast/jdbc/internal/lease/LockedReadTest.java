package io.holdfast.jdbc.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.connection.Session;
import io.holdfast.jdbc.internal.connection.UrlConnectionSource;
import io.holdfast.jdbc.internal.dialect.H2Dialect;
import io.holdfast.jdbc.internal.dialect.TableSchema;
import io.holdfast.testkit.Eventually;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** H2 returns the cached result of a query, if it finds that no table has changed since. */
class LockedReadTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int ROUNDS = 100_000;
    private static final String NAME = "permits";

    private final LeaseSql sql = new LeaseSql(new H2Dialect(), "holdfast_lease", "holdfast_lease");
    private final UrlConnectionSource source =
            UrlConnectionSource.of("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    /** A transaction that has locked the row reads all holders, also if its session has read them just before without a lock. */
    @Test
    void holdersAreReadAsOfTheMomentInWhichTheRowIsLocked() throws Exception {
        try (Session writer = source.open(TIMEOUT);
                Session reader = source.open(TIMEOUT)) {
            new TableSchema(new H2Dialect(), "lease", "holdfast_lease").create(writer.connection());
            sql.update(writer, sql.ensureRow, new LeaseSql.Name(NAME));
            AtomicInteger committing = new AtomicInteger();
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Void> writes = CompletableFuture.runAsync(() -> {
                while (!done.get()) {
                    toggle(writer, committing);
                }
            });
            try {
                for (int i = 0; i < ROUNDS; i++) {
                    shares(reader);
                    int[] seen = reader.inTransaction(same -> {
                        sql.row(same, LeaseSql.LOCK_ROW, NAME);
                        return new int[] {shares(same), committing.get()};
                    });
                    assertThat(seen[0]).as("round " + i).isEqualTo(seen[1]);
                }
            } finally {
                done.set(true);
                Eventually.comes(writes);
            }
        }
    }

    private int shares(Session session) throws SQLException {
        return sql.sharedHolders(session, List.of(new LeaseSql.Name(NAME)))
                .getOrDefault(NAME, List.of())
                .size();
    }

    /** Adds the holder, or removes it, under the lock of the row. */
    private void toggle(Session session, AtomicInteger committing) {
        LeaseSql.Name name = new LeaseSql.Name(NAME);
        try {
            session.inTransaction(same -> {
                sql.row(same, LeaseSql.LOCK_ROW, NAME);
                if (committing.get() == 0) {
                    sql.update(same, LeaseSql.INSERT_HOLDER, name, "1-1", 1, 1, 1, 1, 1, "owner");
                } else {
                    sql.update(same, LeaseSql.DELETE_HOLDER, name, "1-1");
                }
                committing.set(1 - committing.get());
                return true;
            });
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
