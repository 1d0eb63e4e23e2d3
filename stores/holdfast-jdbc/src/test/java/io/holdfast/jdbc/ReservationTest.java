package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.jdbc.internal.dialect.Dialect;
import io.holdfast.testkit.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiter reserves the name for a moment: also if its process dies, and if the clock of the database is set back then. */
class ReservationTest {

    private static final int WRITERS = 3;
    private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"h2", "sqlite"})
    void reservationFromBeforeTheClockWasSetBackDoesNotCount(String kind) {
        String url = url(kind);
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(url).createTables())
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
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(url).createTables())
                        .build();
                Sql sql = Sql.at(url)) {
            holdfast.lock("apples").run(lease -> {});
            long now = sql.number("SELECT granted_at FROM holdfast_lease");

            sql.update(
                    "UPDATE holdfast_lease SET next_claim = '00000000000000aa-1', next_until = ?",
                    now + Dialect.MAX_RESERVATION_MICROS - 1_000_000);

            assertThat(holdfast.lock("apples").tryAcquire()).isEmpty();
        }
    }

    /** Each writer reserves the name when another one has acquired it. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "sqlite"})
    void readerIsServedWhileWritersContend(String kind) {
        String url = url(kind);
        try (Holdfast reader =
                Holdfast.builder(JdbcStore.leaseTable(url).createTables()).build()) {
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
            List<CompletableFuture<Void>> writers = IntStream.range(0, WRITERS)
                    .mapToObj(i -> CompletableFuture.runAsync(() -> write(url, done), threads))
                    .toList();
            try {
                for (int i = 0; i < 5; i++) {
                    reader.readWriteLock("apples")
                            .readLock()
                            .acquire(Eventually.LIMIT)
                            .close();
                }
            } finally {
                done.set(true);
                writers.forEach(Eventually::comes);
                threads.shutdown();
            }
        }
    }

    private static void write(String url, AtomicBoolean done) {
        try (Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(url)).build()) {
            while (!done.get()) {
                holdfast.readWriteLock("apples").writeLock().run(lease -> {
                    long begun = System.nanoTime();
                    Eventually.holds("the work is done", () -> System.nanoTime() - begun > WORK_NANOS);
                });
            }
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
