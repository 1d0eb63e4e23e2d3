package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.testkit.Eventually;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many processes wait for one name: the cost of a critical section in the database does not grow with their number. */
class ManyProcessesIT {

    private static final int FEW = 4;
    private static final int MANY = 16;
    private static final int SECTIONS = 320;
    private static final long BODY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Transactions that write. PostgreSQL also counts one of each session that receives a notification. */
    private static final String WRITING = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";

    private static Servers servers;

    @BeforeAll
    static void start() {
        servers = Servers.start();
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    /** Without an order among them, all sixteen would try after each release: four times as many statements as with four. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRES_TABLE", "MARIADB_TABLE"})
    void statementsOfASectionDoNotGrowWithTheProcessesThatWait(StoreKind kind) {
        double few = statements(kind, FEW);
        double many = statements(kind, MANY);

        System.out.printf(
                "figure: %s: statements per section, %d / %d processes: %.1f / %.1f%n", kind, FEW, MANY, few, many);
        assertThat(many).isLessThan(2.5 * few);
        if (kind.isPostgres()) {
            assertThat(many).as("only the next claim is notified").isLessThan(4);
        } else {
            assertThat(many)
                    .as("the more have waited for long, the less often they poll")
                    .isLessThan(10);
        }
    }

    /** For each critical section, without opening and closing. */
    private static double statements(StoreKind kind, int processes) {
        long opening = statements(kind, processes, 0);
        return (statements(kind, processes, SECTIONS / processes) - opening) / (double) SECTIONS;
    }

    private static long statements(StoreKind kind, int processes, int sections) {
        long before = count(kind);
        List<Holdfast> all = IntStream.range(0, processes)
                .mapToObj(i -> servers.connect(kind))
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(processes);
        try {
            List<CompletableFuture<Void>> done = all.stream()
                    .map(holdfast -> CompletableFuture.runAsync(
                            () -> {
                                holdfast.lock("own" + holdfast.hashCode()).run(lease -> {});
                                sections(holdfast, sections);
                            },
                            threads))
                    .toList();
            done.forEach(Eventually::comes);
        } finally {
            threads.shutdownNow();
            all.forEach(Holdfast::close);
        }
        return count(kind) - before;
    }

    private static long count(StoreKind kind) {
        if (!kind.isPostgres()) {
            return StatementCount.of(servers, kind);
        }
        try (Sql sql = servers.sql(kind)) {
            return sql.number(WRITING);
        }
    }

    private static void sections(Holdfast holdfast, int count) {
        for (int i = 0; i < count; i++) {
            holdfast.lock("hot").run(lease -> {
                long begun = System.nanoTime();
                Eventually.holds("the work is done", () -> System.nanoTime() - begun > BODY_NANOS);
            });
        }
    }
}
