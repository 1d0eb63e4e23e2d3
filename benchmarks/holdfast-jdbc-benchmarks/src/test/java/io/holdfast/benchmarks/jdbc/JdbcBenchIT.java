package io.holdfast.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.benchmarks.kit.Bench;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Entrant;
import io.holdfast.benchmarks.kit.Request;
import io.holdfast.benchmarks.kit.Section;
import io.holdfast.benchmarks.kit.Table;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tries every section out, for so short a time that the numbers mean nothing. */
class JdbcBenchIT {

    /** Each server, each kind of lock of ours, and those without a server: more would take too long. */
    private static final Set<Entrant> PRESENT = Set.of(
            Database.POSTGRESQL.with(Kind.LEASE_TABLE),
            Database.MARIADB.with(Kind.SESSION_LOCKS),
            Database.FILE.with(Kind.LEASE_TABLE),
            Database.FILE.with(Kind.STRICT),
            Database.MEMORY.with(Kind.IN_JVM),
            Database.MARIADB.with(Kind.NO_LOCK));

    // Longer than it takes, for it starts two dozen JVMs on a machine that may be busy.
    @Test
    @Timeout(300)
    void everySectionComesToAnEndWithoutAComplaint() {
        try (JdbcArena arena = new JdbcArena(Request.of(Effort.TINY), PRESENT::contains, Bench::say)) {
            for (Section<JdbcArena> section : JdbcBench.all()) {
                Table table = Table.measure(section, 1, arena);
                Bench.say(table.markdown());
                assertThat(table.complaints()).as(section.key()).isEmpty();
            }
        }
    }
}
