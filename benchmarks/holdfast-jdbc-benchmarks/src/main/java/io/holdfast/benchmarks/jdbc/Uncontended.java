package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Goal.Bound;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.ArrayList;
import java.util.List;

/** What a pair of acquire and release costs when it is uncontended. */
final class Uncontended implements Section<JdbcArena> {

    @Override
    public String key() {
        return "uncontended";
    }

    @Override
    public String title() {
        return "Uncontended: one thread, one name, acquire and release";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                JdbcColumn.TIMES_SPRING,
                JdbcColumn.TIMES_NAIVE,
                JdbcColumn.STATEMENTS,
                JdbcColumn.TRANSACTIONS,
                Column.CPU,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        for (Contestant lease : Contestant.onServers(Kind.LEASE_TABLE)) {
            goals.add(lease.should(JdbcColumn.TIMES_SPRING, Bound.AT_LEAST, 1.5));
            goals.add(lease.should(JdbcColumn.STATEMENTS, Bound.EXACTLY, 2));
            goals.add(lease.should(JdbcColumn.TRANSACTIONS, Bound.AT_MOST, 2));
        }
        goals.add(Database.POSTGRESQL.with(Kind.SESSION_LOCKS).should(JdbcColumn.TIMES_NAIVE, Bound.AT_LEAST, 0.3));
        goals.add(Database.MARIADB.with(Kind.SESSION_LOCKS).should(JdbcColumn.TIMES_NAIVE, Bound.AT_LEAST, 0.5));
        return goals;
    }

    @Override
    public void measure(JdbcArena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(
                round,
                Contestant.onServers(
                        Kind.LEASE_TABLE,
                        Kind.EARLIER_TABLE,
                        Kind.SESSION_LOCKS,
                        Kind.EARLIER_SESSIONS,
                        Kind.SPRING,
                        Kind.SHEDLOCK,
                        Kind.NAIVE_TOKEN,
                        Kind.NAIVE));
        for (Contestant contestant : contestants) {
            CrowdRow.of(contestant, 1, 1)
                    .measure(arena, round)
                    .ifPresent(passes -> round.put(contestant.label(), Column.CPU, passes.cpuMicros()));
        }
        JdbcArena.compare(round, Column.RATE, Kind.SPRING, JdbcColumn.TIMES_SPRING);
        JdbcArena.compare(round, Column.RATE, Kind.NAIVE, JdbcColumn.TIMES_NAIVE);
        if (round.isFirst()) {
            contestants.forEach(contestant -> arena.countSent(contestant, round));
        }
    }
}
