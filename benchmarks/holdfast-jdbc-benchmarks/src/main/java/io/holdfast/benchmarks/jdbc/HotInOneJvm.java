package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.ArrayList;
import java.util.List;

/** What a lock costs when all threads of one JVM want it at once. */
final class HotInOneJvm implements Section<JdbcArena> {

    private static final int THREADS = 64;
    private static final Contestant IN_JVM = Database.MEMORY.with(Kind.IN_JVM);

    @Override
    public String key() {
        return "hot-one-jvm";
    }

    @Override
    public String title() {
        return "One hot key: 64 threads of one JVM, nothing to do under it";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                JdbcColumn.TIMES_SPRING,
                JdbcColumn.TIMES_NAIVE,
                Column.VARIATION,
                Column.WAIT_MEDIAN,
                Column.WAIT_P99,
                Column.CPU,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Database database : Database.SERVERS) {
            Contestant lease = database.with(Kind.LEASE_TABLE);
            Contestant session = database.with(Kind.SESSION_LOCKS);
            goals.add(lease.should(JdbcColumn.TIMES_SPRING, Bound.AT_LEAST, 30));
            goals.add(session.should(JdbcColumn.TIMES_NAIVE, Bound.AT_LEAST, 5));
            goals.add(lease.should(Column.STUCK, Bound.ALWAYS, 0));
            goals.add(session.should(Column.STUCK, Bound.ALWAYS, 0));
        }
        return goals;
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        List<Contestant> contestants = new ArrayList<>(Contestant.onServers(
                Kind.LEASE_TABLE, Kind.EARLIER_TABLE, Kind.SESSION_LOCKS, Kind.SPRING, Kind.NAIVE));
        contestants.add(IN_JVM);
        for (Contestant contestant : arena.inTurn(round, contestants)) {
            CrowdRow.of(contestant, THREADS, 1)
                    .measure(arena, round)
                    .ifPresent(passes -> round.put(contestant.label(), Column.CPU, passes.cpuMicros()));
        }
        JdbcArena.compare(round, Column.RATE, Kind.SPRING, JdbcColumn.TIMES_SPRING);
        JdbcArena.compare(round, Column.RATE, Kind.NAIVE, JdbcColumn.TIMES_NAIVE);
    }
}
