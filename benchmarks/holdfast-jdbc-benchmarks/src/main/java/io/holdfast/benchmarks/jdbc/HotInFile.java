package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.HotRows;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** What a lock in a file costs when several processes want it at once. */
final class HotInFile implements Section<JdbcArena> {

    private static final int THREADS = 8;
    private static final Contestant COHORTS = Database.FILE.with(Kind.LEASE_TABLE);
    private static final Contestant STRICT = Database.FILE.with(Kind.STRICT);

    @Override
    public String key() {
        return "file";
    }

    @Override
    public String title() {
        return "Everybody wants one lock in a file: 4 JVMs of 8 threads, a number in shared memory under it";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                Column.LEAST_SHARE,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.LOST_UPDATES,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                COHORTS.should(Column.RATE, Bound.AT_LEAST, 5_000),
                STRICT.should(Column.RATE, Bound.AT_LEAST, 500),
                COHORTS.should(Column.LOST_UPDATES, Bound.ALWAYS, 0),
                STRICT.should(Column.LOST_UPDATES, Bound.ALWAYS, 0),
                COHORTS.should(Column.STUCK, Bound.ALWAYS, 0),
                STRICT.should(Column.STUCK, Bound.ALWAYS, 0));
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        new HotRows(arena.inTurn(round, List.of(COHORTS, STRICT)).stream()
                        .map(contestant -> CrowdRow.hot(
                                contestant.label(),
                                contestant,
                                arena.effort().jvms(),
                                THREADS,
                                new SharedNumber.CountUp()))
                        .toList())
                .measure(arena, round);
    }
}
